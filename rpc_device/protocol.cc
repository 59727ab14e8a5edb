#include "rpc_device/protocol.h"

#include "rpc_device/tuner.pb.h"

namespace tinytune {
namespace {

std::string string_of(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

rpc::TaskData to_message(const TaskData& task) {
  rpc::TaskData message;
  message.set_hash(task.hash());
  message.set_workload(to_text(task.workload));
  message.set_weights(std::string(task.data.weights.begin(), task.data.weights.end()));
  message.mutable_bias()->Assign(task.data.bias.begin(), task.data.bias.end());
  message.mutable_multiplier()->Assign(task.data.multiplier.begin(), task.data.multiplier.end());
  message.mutable_shift()->Assign(task.data.shift.begin(), task.data.shift.end());
  for (const TestCase& test : task.cases) {
    rpc::TestCase& added = *message.add_cases();
    added.set_name(test.name);
    added.set_input(string_of(test.input));
    added.set_expected(string_of(test.expected));
  }
  return message;
}

Result<TaskData> from_message(const rpc::TaskData& message) {
  TaskData task;
  TT_TRY_ASSIGN(task.workload, parse_workload(message.workload()));
  task.data.weights.assign(message.weights().begin(), message.weights().end());
  task.data.bias.assign(message.bias().begin(), message.bias().end());
  task.data.multiplier.assign(message.multiplier().begin(), message.multiplier().end());
  task.data.shift.assign(message.shift().begin(), message.shift().end());
  for (const rpc::TestCase& test : message.cases())
    task.cases.push_back({test.name(), bytes_of(test.input()), bytes_of(test.expected())});
  if (task.hash() != message.hash())
    return Error(ErrorCode::kInvalidInput, "a task's data differ from their hash");
  return task;
}

rpc::Limits to_message(const MeasureLimits& limits) {
  rpc::Limits message;
  message.set_build_timeout_ms(limits.build_timeout_ms);
  message.set_build_memory_bytes(limits.build_memory_bytes);
  message.set_instruction_limit(limits.instruction_limit);
  message.set_repeats(limits.repeats);
  return message;
}

MeasureLimits from_message(const rpc::Limits& message) {
  return {message.build_timeout_ms(), message.build_memory_bytes(), message.instruction_limit(),
          message.repeats()};
}

rpc::Finished to_message(const MeasureResult& result, uint64_t ticket) {
  rpc::Finished message;
  message.set_ticket(ticket);
  message.set_outcome(std::string(name_of(result.outcome)));
  message.set_detail(result.detail);
  message.mutable_cycles()->Assign(result.cycles.begin(), result.cycles.end());
  message.set_instructions(result.instructions);
  message.set_code_bytes(result.code_bytes);
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
  if (!outcome)
    return Error(ErrorCode::kInvalidInput, "a worker reports outcome '" + message.outcome() + "'");
  MeasureResult result;
  result.outcome = *outcome;
  result.detail = message.detail();
  result.cycles.assign(message.cycles().begin(), message.cycles().end());
  result.instructions = message.instructions();
  result.code_bytes = message.code_bytes();
  result.ram_bytes = message.ram_bytes();
  result.times = {message.lower_ms(), message.llvm_ms(), message.link_ms(), message.run_ms(),
                  message.verify_ms()};
  return result;
}

}  // namespace tinytune
