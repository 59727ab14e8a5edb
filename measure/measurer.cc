#include "measure/measurer.h"

namespace tinytune {

Result<MeasureResult> Measurer::measure(const TaskData& task, const Digest& task_digest,
                                        const MeasureJob& job) {
  TT_TRY_ASSIGN(const BuildReport build, builder_.build(task, job.schedule, job.limits));
  MeasureResult result = result_of(build);
  if (job.stage == Fidelity::kBuild) return result;
  if (build.outcome != Outcome::kOk) {
    const BoardIdentity identity = board_.identity();
    result.source = identity.id;
    result.fidelity = job.stage;
    return result;
  }
  const StageTimes built = result.times;
  TT_TRY_ASSIGN(result, run(build, task, task_digest, job.limits));
  result.times.lower_ms = built.lower_ms;
  result.times.llvm_ms = built.llvm_ms;
  result.times.link_ms = built.link_ms;
  return result;
}

Result<MeasureResult> Measurer::run(const BuildReport& build, const TaskData& task,
                                    const Digest& task_digest, const MeasureLimits& limits) {
  const Digest key = Digester()
                         .add(task_digest)
                         .add(build.kernel.image())
                         .add(limits.run_cycles)
                         .add(uint64_t{limits.run_ms})
                         .add(static_cast<uint64_t>(limits.repeats))
                         .add(uint64_t{limits.verify})
                         .value();
  if (auto known = known_.find(key)) return *std::move(known);
  TT_TRY_ASSIGN(RunResult run, runner_.run(build.kernel, task, limits));
  if (run.repeatable) {
    MeasureResult kept = run.result;
    kept.times = {};  // a cached result costs no time
    known_.add(key, std::move(kept));
  }
  return std::move(run.result);
}

}  // namespace tinytune
