#include "measure/build_kernel.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/processor_time.h"
#include "measure/byte_stream.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

BuildReport failed(BuildReport report, Outcome outcome, const Error& error) {
  report.outcome = outcome;
  report.detail = error.message().substr(0, error.message().find('\n'));
  return report;
}

}  // namespace

Result<BuildReport> build_kernel(const Workload& workload, const LayerData& data,
                                 const Schedule& schedule, const Device& device,
                                 std::vector<uint8_t>& bitcode) {
  BuildReport report;
  const auto found = find_template(schedule);
  if (!found) return failed(std::move(report), Outcome::kBuildFailed, found.error());
  LoweredKernel lowered{std::move(bitcode), {}};
  bitcode.clear();
  if (lowered.bitcode.empty()) {
    auto made = lower_kernel(workload, schedule, device, kKernelSymbol);
    report.counted_names = !made || made->counted_names;
    if (!made) return failed(std::move(report), Outcome::kBuildFailed, made.error());
    lowered = std::move(made).value();
  }
  auto compiled = emit_kernel(lowered, schedule, device, kKernelSymbol, Emit::kObject);
  if (!compiled) return failed(std::move(report), Outcome::kBuildFailed, compiled.error());
  report.times = compiled->times;
  bitcode = std::move(lowered.bitcode);

  const ProcessorWatch linking;
  auto image = link_image(std::span(&compiled->object, 1), device, kKernelSymbol);
  report.times.link_ms = linking.ms();
  if (!image && image.error().code() == ErrorCode::kFailed) return image.error();
  if (!image)
    return failed(std::move(report),
                  image.error().code() == ErrorCode::kInvalidInput ? Outcome::kDoesNotFit
                                                                   : Outcome::kBuildFailed,
                  image.error());
  auto constants = (*found)->pack(workload, data, schedule);
  if (!constants) return failed(std::move(report), Outcome::kBuildFailed, constants.error());
  report.outcome = Outcome::kOk;
  report.kernel.elf = std::move(image->elf);
  report.kernel.constants = std::move(constants).value();
  report.kernel.scratch_bytes = (*found)->scratch_bytes(workload, schedule);
  report.kernel.code.code_bytes = image->code_bytes;
  report.kernel.code.constant_bytes = packed_bytes(report.kernel.constants);
  return report;
}

namespace build_message {
namespace {

template <typename T>
void add_numbers(ByteWriter& writer, const std::vector<T>& numbers) {
  writer.add(
      std::span(reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size() * sizeof(T)));
}

template <typename T>
void get_numbers(ByteReader& reader, std::vector<T>& numbers) {
  std::vector<uint8_t> bytes;
  reader.get(bytes);
  numbers.resize(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
}

}  // namespace

std::vector<uint8_t> request(const TaskData& task, const Schedule& schedule,
                             std::span<const uint8_t> bitcode) {
  ByteWriter writer;
  writer.add(to_text(task.workload)).add(to_text(schedule)).add(bitcode);
  add_numbers(writer, task.data.weights);
  add_numbers(writer, task.data.bias);
  add_numbers(writer, task.data.multiplier);
  add_numbers(writer, task.data.shift);
  add_numbers(writer, task.data.addend);
  return writer.take();
}

Sandbox::Answer answer(std::span<const uint8_t> request, const Device& device) {
  std::string workload_text, schedule_text;
  LayerData data;
  std::vector<uint8_t> bitcode;
  ByteReader reader(request);
  reader.get(workload_text);
  reader.get(schedule_text);
  reader.get(bitcode);
  get_numbers(reader, data.weights);
  get_numbers(reader, data.bias);
  get_numbers(reader, data.multiplier);
  get_numbers(reader, data.shift);
  get_numbers(reader, data.addend);
  const auto workload = parse_workload(workload_text);
  const auto schedule = parse_schedule(schedule_text);
  TT_CHECK(reader.complete() && workload && schedule, "a request of this program does not parse");

  const auto report = build_kernel(*workload, data, *schedule, device, bitcode);
  ByteWriter writer;
  writer.add(report.has_value());
  if (!report) return writer.add(report.error().message()).take();
  writer.add(report->outcome)
      .add(report->detail)
      .add(to_bytes(report->kernel))
      .add(bitcode)
      .add(report->times.lower_ms)
      .add(report->times.llvm_ms)
      .add(report->times.link_ms);
  return {writer.take(), report->counted_names};
}

Result<BuildReport> read_answer(std::span<const uint8_t> answer, std::vector<uint8_t>& bitcode) {
  ByteReader reader(answer);
  bool built = false;
  reader.get(built);
  if (!built) {
    std::string why;
    reader.get(why);
    return Error(ErrorCode::kFailed, why);
  }
  BuildReport report;
  std::vector<uint8_t> kernel;
  reader.get(report.outcome);
  reader.get(report.detail);
  reader.get(kernel);
  reader.get(bitcode);
  reader.get(report.times.lower_ms);
  reader.get(report.times.llvm_ms);
  reader.get(report.times.link_ms);
  if (!reader.complete()) return Error(ErrorCode::kFailed, "a build's answer is cut short");
  TT_TRY_ASSIGN(report.kernel, built_kernel_from(kernel));
  return report;
}

}  // namespace build_message
}  // namespace tinytune
