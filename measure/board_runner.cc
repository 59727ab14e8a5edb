#include "measure/board_runner.h"

#include <cmath>

#include "records/measurement.h"

namespace tinytune {
namespace {

constexpr int kLookRepeats = 3;

bool agree(uint64_t then, uint64_t now) {
  const double change = static_cast<double>(now) / static_cast<double>(then) - 1;
  return std::abs(change) <= BoardRunner::kMostDrift;
}

}  // namespace

Result<RunResult> BoardRunner::run(const BuiltKernel& kernel, const TaskData& task,
                                   const MeasureLimits& limits) {
  const bool can_drift = !board_.capabilities().shares_its_core;  // else drift looks like load
  if (can_drift && reference_ && ++since_look_ >= kBetweenLooks) TT_TRY(look());
  TT_TRY_ASSIGN(RunResult run, run_with_resets(board_, kernel, task, limits));
  if (!reference_) remember(kernel, task, run.result);
  return run;
}

void BoardRunner::remember(const BuiltKernel& kernel, const TaskData& task,
                           const MeasureResult& result) {
  if (result.fidelity != Fidelity::kBoard || result.outcome != Outcome::kOk) return;
  reference_ = Reference{kernel, task, median_of(result.cycles)};
  reference_->task.cases.resize(1);
}

Status BoardRunner::look() {
  since_look_ = 0;
  TT_TRY_ASSIGN(uint64_t now, cycles_now());
  if (agree(reference_->cycles, now)) return ok_status();
  TT_TRY(board_.reset());
  TT_TRY_ASSIGN(now, cycles_now());
  if (agree(reference_->cycles, now)) return ok_status();
  return Error(ErrorCode::kFailed, "the board has changed: a kernel that took " +
                                       std::to_string(reference_->cycles) + " cycles takes " +
                                       std::to_string(now) + " now; ask tune doctor");
}

Result<uint64_t> BoardRunner::cycles_now() {
  MeasureLimits limits;
  limits.repeats = kLookRepeats;
  limits.verify = false;
  TT_TRY_ASSIGN(const RunResult run,
                run_with_resets(board_, reference_->kernel, reference_->task, limits));
  if (run.result.outcome == Outcome::kOk) return median_of(run.result.cycles);
  return Error(ErrorCode::kFailed, "the board has changed: a kernel that was right " +
                                       std::string(name_of(run.result.outcome)) + ": " +
                                       run.result.detail);
}

}  // namespace tinytune
