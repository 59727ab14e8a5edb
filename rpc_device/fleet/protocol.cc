#include "rpc_device/fleet/protocol.h"

#include "base/printable.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/tuner.pb.h"

namespace tinytune {
namespace {

std::string string_of(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

Error malformed(const std::string& what) { return Error(ErrorCode::kInvalidInput, what); }

void set_input(rpc::TestCase& message, const Contents& input) {
  switch (input.kind) {
    case Contents::Kind::kFill:
      return message.set_fill(input.fill);
    case Contents::Kind::kSeed:
      return message.set_seed(input.seed);
    case Contents::Kind::kBytes:
      return message.set_input(string_of(input.bytes));
  }
}

Result<Contents> input_of(const rpc::TestCase& message) {
  switch (message.contents_case()) {
    case rpc::TestCase::kFill:
      if (message.fill() > 255) break;
      return Contents::filled_with(static_cast<uint8_t>(message.fill()));
    case rpc::TestCase::kSeed:
      return Contents::random_from(message.seed());
    case rpc::TestCase::kInput:
      return Contents::of(bytes_of(message.input()));
    case rpc::TestCase::CONTENTS_NOT_SET:
      break;
  }
  return malformed("a test case without an input");
}

}  // namespace

std::string id_of(const TaskData& task) { return to_text(task.digest()); }

rpc::TaskHead head_of(const TaskData& task, uint64_t bytes) {
  rpc::TaskHead head;
  head.set_id(id_of(task));
  head.set_workload(to_text(task.workload));
  head.set_bytes(bytes);
  return head;
}

std::string to_wire(const TaskData& task) {
  rpc::TaskData message;
  message.set_weights(std::string(task.data.weights.begin(), task.data.weights.end()));
  message.mutable_bias()->Assign(task.data.bias.begin(), task.data.bias.end());
  message.mutable_multiplier()->Assign(task.data.multiplier.begin(), task.data.multiplier.end());
  message.mutable_shift()->Assign(task.data.shift.begin(), task.data.shift.end());
  message.mutable_addend()->Assign(task.data.addend.begin(), task.data.addend.end());
  for (const TestCase& test : task.cases) {
    rpc::TestCase& added = *message.add_cases();
    added.set_name(test.name);
    set_input(added, test.input);
    added.set_expected(string_of(test.expected));
  }
  return message.SerializeAsString();
}

Result<TaskData> task_from_wire(const rpc::TaskHead& head, std::string_view bytes) {
  rpc::TaskData message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return malformed("a task that is not one");
  TaskData task;
  TT_TRY_ASSIGN(task.workload, parse_workload(head.workload()));
  task.data.weights.assign(message.weights().begin(), message.weights().end());
  task.data.bias.assign(message.bias().begin(), message.bias().end());
  task.data.multiplier.assign(message.multiplier().begin(), message.multiplier().end());
  task.data.shift.assign(message.shift().begin(), message.shift().end());
  task.data.addend.assign(message.addend().begin(), message.addend().end());
  for (const rpc::TestCase& test : message.cases()) {
    TT_TRY_ASSIGN(Contents input, input_of(test));
    task.cases.push_back({test.name(), std::move(input), bytes_of(test.expected())});
  }
  TT_TRY(check_task(task));
  if (id_of(task) != head.id()) return malformed("a task's data differ from their digest");
  return task;
}

std::string to_wire(const BuiltKernel& kernel) {
  rpc::Image message;
  message.set_elf(string_of(kernel.elf));
  message.set_symbol(kernel.symbol);
  message.set_scratch_bytes(static_cast<uint64_t>(kernel.scratch_bytes));
  message.set_code_bytes(kernel.code.code_bytes);
  message.set_constant_bytes(kernel.code.constant_bytes);
  for (const PackedConstant& constant : kernel.constants) {
    rpc::Constant& added = *message.add_constants();
    added.set_name(constant.name);
    added.set_element_bytes(constant.element_bytes);
    added.set_bytes(string_of(constant.bytes));
  }
  return message.SerializeAsString();
}

Result<BuiltKernel> image_from_wire(std::string_view bytes) {
  rpc::Image message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return malformed("an image that is not one");
  if (message.scratch_bytes() > most::kImageBytes) return malformed("an image with huge scratch");
  BuiltKernel kernel;
  kernel.elf = bytes_of(message.elf());
  kernel.symbol = printable(message.symbol(), most::kWordBytes);
  kernel.scratch_bytes = static_cast<int64_t>(message.scratch_bytes());
  kernel.code = {message.code_bytes(), message.constant_bytes()};
  for (const rpc::Constant& constant : message.constants()) {
    const int element = constant.element_bytes();
    if ((element != 1 && element != 2 && element != 4) ||
        constant.bytes().size() % static_cast<size_t>(element) != 0)
      return malformed("a constant of elements of " + std::to_string(element) + " bytes");
    kernel.constants.push_back(
        {printable(constant.name(), most::kWordBytes), element, bytes_of(constant.bytes())});
  }
  return kernel;
}

rpc::Fleet to_message(const FleetView& view) {
  rpc::Fleet message;
  message.set_device(view.device);
  message.set_build(view.build);
  message.set_run_ms(view.run_ms);
  message.set_waiting(view.waiting);
  message.set_leased(view.leased);
  message.set_done(view.done);
  message.set_redone(view.redone);
  for (const WorkerView& worker : view.workers) {
    rpc::FleetWorker& row = *message.add_workers();
    row.set_name(worker.name);
    row.set_builds(worker.builds);
    row.set_runs_on(worker.runs_on);
    row.set_state(worker.state);
    row.set_job(worker.job);
    row.set_lease_ms(worker.lease_ms);
    row.set_jobs(worker.jobs);
    row.set_busy_ms(worker.busy_ms);
    row.set_idle_ms(worker.idle_ms);
    row.set_faults(static_cast<uint32_t>(worker.faults));
    row.set_trouble(worker.trouble);
    row.set_quarantined(worker.quarantined);
  }
  return message;
}

FleetView from_message(const rpc::Fleet& message) {
  const auto line = [](const std::string& text) { return printable(text, most::kLineBytes); };
  FleetView view{line(message.device()), line(message.build()), message.run_ms(), message.waiting(),
                 message.leased(),       message.done(),        message.redone(), {}};
  for (const rpc::FleetWorker& row : message.workers())
    view.workers.push_back({line(row.name()), row.builds(), line(row.runs_on()), line(row.state()),
                            line(row.job()), row.lease_ms(), row.jobs(), row.busy_ms(),
                            row.idle_ms(), static_cast<int>(row.faults()), line(row.trouble()),
                            row.quarantined()});
  return view;
}

rpc::Limits to_message(const MeasureLimits& limits) {
  rpc::Limits message;
  message.set_build_cpu_ms(limits.build_cpu_ms);
  message.set_build_memory_bytes(limits.build_memory_bytes);
  message.set_run_cycles(limits.run_cycles);
  message.set_run_ms(limits.run_ms);
  message.set_repeats(limits.repeats);
  return message;
}

MeasureLimits from_message(const rpc::Limits& message) {
  return {message.build_cpu_ms(), message.build_memory_bytes(), message.run_cycles(),
          message.run_ms(), message.repeats()};
}

rpc::Finished to_message(const MeasureResult& result, uint64_t ticket) {
  rpc::Finished message;
  message.set_ticket(ticket);
  message.set_outcome(std::string(name_of(result.outcome)));
  message.set_detail(printable(result.detail, most::kLineBytes));
  message.set_fidelity(std::string(name_of(result.fidelity)));
  message.set_image(result.image);
  message.mutable_cycles()->Assign(result.cycles.begin(), result.cycles.end());
  message.set_instructions(result.instructions);
  message.set_code_bytes(result.code.code_bytes);
  message.set_constant_bytes(result.code.constant_bytes);
  message.set_ram_bytes(result.ram_bytes);
  message.set_lower_ms(result.times.lower_ms);
  message.set_llvm_ms(result.times.llvm_ms);
  message.set_link_ms(result.times.link_ms);
  message.set_run_ms(result.times.run_ms);
  message.set_verify_ms(result.times.verify_ms);
  return message;
}

Result<MeasureResult> from_message(const rpc::Finished& message) {
  const auto outcome = parse_outcome(message.outcome());
  if (!outcome) return malformed("an outcome that is none");
  const auto fidelity = parse_fidelity(message.fidelity());
  if (!fidelity) return malformed("a fidelity that is none");
  MeasureResult result;
  result.outcome = *outcome;
  result.detail = message.detail();
  result.fidelity = *fidelity;
  result.image = message.image();
  result.cycles.assign(message.cycles().begin(), message.cycles().end());
  result.instructions = message.instructions();
  result.code = {message.code_bytes(), message.constant_bytes()};
  result.ram_bytes = message.ram_bytes();
  result.times = {message.lower_ms(), message.llvm_ms(), message.link_ms(), message.run_ms(),
                  message.verify_ms()};
  return result;
}

}  // namespace tinytune
