#include "measure/builder.h"

#include "measure/byte_stream.h"

namespace tinytune {
namespace {

BuildReport build_here(const std::string& workload_text, const std::string& schedule_text,
                       const Device& device) {
  BuildReport report;
  const auto failed = [&report](const Error& error) {
    // link_image's one use of kInvalidInput: a region overflows.
    report.outcome =
        error.code() == ErrorCode::kInvalidInput ? Outcome::kDoesNotFit : Outcome::kBuildFailed;
    report.detail = error.message().substr(0, error.message().find('\n'));
    return report;
  };
  const auto workload = parse_workload(workload_text);
  const auto schedule = parse_schedule(schedule_text);
  TT_CHECK(workload && schedule, "texts that this program wrote do not parse");
  auto kernel = compile_kernel(*workload, *schedule, device, kKernelSymbol, Emit::kObject);
  if (!kernel) {
    report = failed(kernel.error());
    report.outcome = Outcome::kBuildFailed;
    return report;
  }
  report.times = kernel->times;
  const auto start = std::chrono::steady_clock::now();
  auto image = link_image(std::span(&kernel->object, 1), device, kKernelSymbol);
  report.times.link_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!image) return failed(image.error());
  report.image = std::move(image).value();
  report.outcome = Outcome::kOk;
  return report;
}

std::vector<uint8_t> to_bytes(const BuildReport& report) {
  return ByteWriter()
      .add(report.outcome)
      .add(report.detail)
      .add(report.image.code_bytes)
      .add(report.image.elf)
      .add(report.times.lower_ms)
      .add(report.times.llvm_ms)
      .add(report.times.link_ms)
      .take();
}

BuildReport from_bytes(std::span<const uint8_t> bytes) {
  BuildReport report;
  ByteReader reader(bytes);
  reader.get(report.outcome);
  reader.get(report.detail);
  reader.get(report.image.code_bytes);
  reader.get(report.image.elf);
  reader.get(report.times.lower_ms);
  reader.get(report.times.llvm_ms);
  reader.get(report.times.link_ms);
  return report;
}

}  // namespace

Result<Builder> Builder::start(const Device& device) {
  TT_TRY_ASSIGN(Sandbox sandbox, Sandbox::start([device](std::span<const uint8_t> request) {
                  ByteReader reader(request);
                  std::string workload, schedule;
                  reader.get(workload);
                  reader.get(schedule);
                  return to_bytes(build_here(workload, schedule, device));
                }));
  return Builder(std::move(sandbox));
}

Result<BuildReport> Builder::build(const Workload& workload, const Schedule& schedule,
                                   const MeasureLimits& limits) {
  const auto request = ByteWriter().add(to_text(workload)).add(to_text(schedule)).take();
  TT_TRY_ASSIGN(const SandboxReport report,
                sandbox_.run(request, {limits.build_timeout_ms, limits.build_memory_bytes}));
  if (report.end == SandboxEnd::kReturned) return from_bytes(report.bytes);
  BuildReport failed;
  failed.outcome =
      report.end == SandboxEnd::kTimeout ? Outcome::kBuildTimeout : Outcome::kBuildFailed;
  failed.detail = "build: " + report.detail;
  return failed;
}

}  // namespace tinytune
