#include "measure/measurer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/check.h"
#include "base/hash.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Placement {
  Guard guard = Guard::kNone;
  bool check_alignment = false;
  uint64_t instruction_limit = 0;
  uint8_t garbage = 0;  ///< what scratch holds before the call
};

const char* name_of(Guard guard) {
  switch (guard) {
    case Guard::kNone:
      return "";
    case Guard::kAtEnd:
      return ", buffers ending at unmapped memory";
    case Guard::kAtStart:
      return ", buffers starting after unmapped memory";
  }
  return "";
}

BoardCall make_call(const LoadedKernel& kernel, const TestCase& test, const Placement& placement) {
  BoardCall call;
  call.elf = kernel.elf;
  call.symbol = kernel.symbol;
  call.guard = placement.guard;
  call.check_alignment = placement.check_alignment;
  call.instruction_limit = placement.instruction_limit;
  call.buffers.push_back({BufferRole::kRead, test.input, 4});
  for (const PackedConstant& constant : kernel.constants)
    call.buffers.push_back(
        {BufferRole::kRead, constant.bytes, static_cast<uint32_t>(constant.element_bytes)});
  if (kernel.scratch_bytes > 0)
    call.buffers.push_back(
        {BufferRole::kScratch,
         std::vector<uint8_t>(static_cast<size_t>(kernel.scratch_bytes), placement.garbage), 8});
  // Every byte starts out wrong, so that one the kernel forgets to write shows.
  std::vector<uint8_t> output = test.expected;
  for (uint8_t& byte : output) byte = static_cast<uint8_t>(~byte);
  call.buffers.push_back({BufferRole::kWrite, std::move(output), 4});
  return call;
}

std::optional<std::string> difference(const std::vector<uint8_t>& got, const TestCase& test) {
  if (got.size() != test.expected.size())
    return "the board returned " + std::to_string(got.size()) + " bytes of " +
           std::to_string(test.expected.size());
  const auto [g, e] = std::mismatch(got.begin(), got.end(), test.expected.begin());
  if (g == got.end()) return std::nullopt;
  char text[96];
  std::snprintf(text, sizeof text, "byte %zu is %d and should be %d",
                static_cast<size_t>(g - got.begin()), static_cast<int8_t>(*g),
                static_cast<int8_t>(*e));
  return text;
}

// Fills in outcome and detail; kOk if nothing is wrong with this run.
void judge(const BoardReport& report, const TestCase& test, const Placement& placement,
           MeasureResult& result) {
  const auto say = [&](Outcome outcome, const std::string& what) {
    result.outcome = outcome;
    result.detail = "case " + test.name + name_of(placement.guard) + ": " + what;
  };
  switch (report.status) {
    case CallStatus::kDoesNotFit:
      result.outcome = Outcome::kDoesNotFit;
      result.detail = report.detail;
      return;
    case CallStatus::kLimit:
      return say(Outcome::kRunTimeout, report.detail);
    case CallStatus::kFault:
      return say(Outcome::kCrashed, report.detail);
    case CallStatus::kReturned:
      break;
  }
  if (!report.registers_restored) return say(Outcome::kCrashed, report.detail);
  if (!report.inputs_unchanged) return say(Outcome::kCrashed, report.detail);
  if (report.written.size() != 1) return say(Outcome::kWrongOutput, "the board returned no output");
  if (const auto wrong = difference(report.written.front(), test))
    return say(Outcome::kWrongOutput, *wrong);
  result.outcome = Outcome::kOk;
}

class KernelRun {
 public:
  KernelRun(Board& board, const LoadedKernel& kernel) : board_(board), kernel_(kernel) {}

  /// True if the run was right; else the result says what was wrong.
  Result<bool> run(const TestCase& test, const Placement& placement) {
    TT_TRY_ASSIGN(last_, board_.call(make_call(kernel_, test, placement)));
    judge(last_, test, placement, result_);
    return result_.outcome == Outcome::kOk;
  }
  const BoardReport& last() const { return last_; }
  MeasureResult& result() { return result_; }

 private:
  Board& board_;
  const LoadedKernel& kernel_;
  BoardReport last_;
  MeasureResult result_;
};

Result<bool> time_it(KernelRun& run, const TestCase& test, const MeasureLimits& limits) {
  MeasureResult& result = run.result();
  for (int i = 0; i < std::max(limits.repeats, 1); ++i) {
    TT_TRY_ASSIGN(const bool right,
                  run.run(test, {Guard::kNone, false, limits.instruction_limit, 0xA5}));
    if (!right) return false;
    result.cycles.push_back(run.last().cycles);
    result.instructions = run.last().instructions;
    result.ram_bytes = run.last().stack_bytes;
  }
  return true;
}

// Where a kernel reads and writes does not depend on data: templates have no data-dependent
// address. So one case is watched byte by byte, which sees both ends of every buffer, and each
// other case runs once at full speed, against one guard or the other in turn.
Result<bool> verify(KernelRun& run, const TaskData& task, uint64_t timed_instructions) {
  const uint64_t limit = 4 * timed_instructions + 100'000;
  TT_TRY_ASSIGN(const bool watched,
                run.run(task.cases.front(), {Guard::kAtEnd, true, limit, 0x5A}));
  if (!watched) return false;
  for (size_t i = 1; i < task.cases.size(); ++i) {
    const Guard guard = i % 2 == 1 ? Guard::kAtStart : Guard::kAtEnd;
    TT_TRY_ASSIGN(const bool right, run.run(task.cases[i], {guard, false, limit, 0x3C}));
    if (!right) return false;
  }
  return true;
}

// A board without memory protection compares bytes and nothing else.
Result<bool> compare_only(KernelRun& run, const TaskData& task, uint64_t timed_instructions) {
  const uint64_t limit = 4 * timed_instructions + 100'000;
  for (size_t i = 1; i < task.cases.size(); ++i) {
    TT_TRY_ASSIGN(const bool right, run.run(task.cases[i], {Guard::kNone, false, limit, 0x3C}));
    if (!right) return false;
  }
  return true;
}

}  // namespace

Result<MeasureResult> run_kernel(Board& board, const LoadedKernel& kernel, const TaskData& task,
                                 const MeasureLimits& limits) {
  TT_CHECK(!task.cases.empty(), "a task without cases cannot be measured");
  KernelRun run(board, kernel);
  MeasureResult& result = run.result();
  auto start = Clock::now();
  TT_TRY_ASSIGN(bool right, time_it(run, task.cases.front(), limits));
  result.times.run_ms = milliseconds_since(start);
  if (right) {
    start = Clock::now();
    TT_TRY_ASSIGN(right, board.can_verify() ? verify(run, task, result.instructions)
                                            : compare_only(run, task, result.instructions));
    result.times.verify_ms = milliseconds_since(start);
  }
  if (right) {
    result.ram_bytes += static_cast<uint64_t>(kernel.scratch_bytes);
  } else {
    result.cycles.clear();
    result.instructions = 0;
    result.ram_bytes = 0;
  }
  return result;
}

Result<MeasureResult> Measurer::measure(const TaskData& task, uint64_t task_hash,
                                        const Schedule& schedule, const MeasureLimits& limits) {
  MeasureResult failed;
  failed.outcome = Outcome::kBuildFailed;
  const auto found = find_template(schedule);
  if (!found) return failed.detail = found.error().message(), failed;
  const KernelTemplate& kernel_template = **found;

  TT_TRY_ASSIGN(BuildReport build, builder_.build(task.workload, schedule, limits));
  failed.times = {build.times.lower_ms, build.times.llvm_ms, build.times.link_ms, 0, 0};
  if (build.outcome != Outcome::kOk) {
    failed.outcome = build.outcome;
    failed.detail = std::move(build.detail);
    return failed;
  }
  auto constants = kernel_template.pack(task.workload, task.data, schedule);
  if (!constants) return failed.detail = constants.error().message(), failed;
  const LoadedKernel kernel{std::move(build.image.elf), kKernelSymbol, std::move(*constants),
                            kernel_template.scratch_bytes(task.workload, schedule)};

  Fnv1a hash;
  hash.add(hex64(task_hash)).add(std::span<const uint8_t>(kernel.elf));
  for (const PackedConstant& constant : kernel.constants)
    hash.add(constant.name).add(std::span<const uint8_t>(constant.bytes));
  hash.add(std::to_string(kernel.scratch_bytes) + " " + std::to_string(limits.instruction_limit) +
           " " + std::to_string(limits.repeats));
  auto known = known_.find(hash.value());
  if (known == known_.end()) {
    TT_TRY_ASSIGN(MeasureResult result, run_kernel(board_, kernel, task, limits));
    result.code_bytes = result.outcome == Outcome::kOk ? build.image.code_bytes : 0;
    known = known_.emplace(hash.value(), std::move(result)).first;
  }
  MeasureResult result = known->second;
  known->second.times = {};  // spent once
  result.times.lower_ms = build.times.lower_ms;
  result.times.llvm_ms = build.times.llvm_ms;
  result.times.link_ms = build.times.link_ms;
  return result;
}

}  // namespace tinytune
