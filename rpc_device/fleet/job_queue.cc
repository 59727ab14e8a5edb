#include "rpc_device/fleet/job_queue.h"

#include <algorithm>

#include "base/check.h"

namespace tinytune {
namespace {

// All are forgotten when the table is full: the next process that builds for a kin then has it.
constexpr size_t kMostHomes = 4096;

}  // namespace

uint64_t JobQueue::submit(size_t task, std::string schedule, const MeasureLimits& limits,
                          Fidelity stage, const std::string& kin) {
  const std::lock_guard lock(mutex_);
  const uint64_t ticket = next_ticket_++;
  Job& job = waiting_[ticket];
  if (!kin.empty()) job.kin = std::to_string(task) + " " + kin;
  job.lease.ticket = ticket;
  job.lease.task = task;
  job.lease.schedule = std::move(schedule);
  job.lease.limits = limits;
  job.lease.stage = stage;
  return ticket;
}

std::optional<JobStep> JobQueue::next_step(const Job& job, const WorkerSkills& worker) {
  const Fidelity stage = job.lease.stage;
  const bool simulates = worker.runs_on == kSimulatorSource;
  const bool runs = !worker.runs_on.empty() && simulates == (stage == Fidelity::kSimulate);
  if (job.lease.image != nullptr) return runs ? std::optional(JobStep::kRunImage) : std::nullopt;
  if (!worker.builds) return std::nullopt;
  if (stage == Fidelity::kBuild) return JobStep::kBuild;
  return runs ? JobStep::kMeasure : JobStep::kMakeImage;
}

bool JobQueue::has_kin_elsewhere(const Job& job, uint64_t instance) const {
  if (job.kin.empty() || job.lease.image != nullptr) return false;
  const auto home = homes_.find(job.kin);
  return home != homes_.end() && home->second != instance;
}

std::optional<JobQueue::Lease> JobQueue::take(const WorkerSkills& worker, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (closed_) return std::nullopt;
  auto taken = waiting_.end();
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    const Job& job = at->second;
    if (!next_step(job, worker)) continue;
    if (job.witnesses.contains(worker.instance) && now < job.last_death + kChanceForOthers)
      continue;
    if (taken == waiting_.end()) taken = at;
    if (has_kin_elsewhere(job, worker.instance)) continue;
    taken = at;
    break;
  }
  if (taken == waiting_.end()) return std::nullopt;
  Job& job = leased_.insert(waiting_.extract(taken)).position->second;
  job.lease.step = *next_step(job, worker);
  if (!job.kin.empty() && job.lease.image == nullptr) {
    if (homes_.size() == kMostHomes) homes_.clear();
    homes_[job.kin] = worker.instance;
  }
  return job.lease;
}

bool JobQueue::has_work_for(const WorkerSkills& worker) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      waiting_, [&](const auto& job) { return next_step(job.second, worker).has_value(); });
}

JobQueue::Job JobQueue::end_lease(uint64_t ticket) {
  auto node = leased_.extract(ticket);
  TT_CHECK(!node.empty(), "the end of a lease that nobody holds");
  return std::move(node.mapped());
}

void JobQueue::put_back(Job job) {
  const uint64_t ticket = job.lease.ticket;
  waiting_.emplace(ticket, std::move(job));
}

void JobQueue::report(uint64_t ticket, MeasureResult result) {
  finished_.push_back({ticket, std::move(result)});
  ++done_;
  results_.notify_one();
}

void JobQueue::finish(uint64_t ticket, MeasureResult result) {
  const std::lock_guard lock(mutex_);
  const Job job = end_lease(ticket);
  failures_in_a_row_ = 0;
  if (job.built) {
    result.code = job.built->code;
    result.image = job.built->image;
    result.times.lower_ms += job.built->times.lower_ms;
    result.times.llvm_ms += job.built->times.llvm_ms;
    result.times.link_ms += job.built->times.link_ms;
  }
  report(ticket, std::move(result));
}

void JobQueue::hand_on(uint64_t ticket, MeasureResult built, std::string image) {
  const std::lock_guard lock(mutex_);
  Job job = end_lease(ticket);
  failures_in_a_row_ = 0;
  job.built = std::move(built);
  job.lease.image = std::make_shared<const std::string>(std::move(image));
  put_back(std::move(job));
}

void JobQueue::give_back(uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  put_back(end_lease(ticket));
}

void JobQueue::give_back_failed(uint64_t ticket, const std::string& why) {
  const std::lock_guard lock(mutex_);
  ++failures_in_a_row_;
  last_failure_ = why;
  put_back(end_lease(ticket));
}

void JobQueue::blame(uint64_t ticket, uint64_t instance, const std::string& who,
                     Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Job job = end_lease(ticket);
  std::erase_if(homes_, [&](const auto& home) { return home.second == instance; });
  job.witnesses.insert(instance);
  job.last_death = now;
  ++job.deaths;
  if (job.witnesses.size() < kWitnessesUntilLost && job.deaths < kDeathsUntilLost) {
    ++redone_;
    put_back(std::move(job));
    return;
  }
  MeasureResult lost;
  lost.outcome = Outcome::kLost;
  lost.detail = (job.witnesses.size() == 1
                     ? "one worker died with it " + std::to_string(job.deaths) + " times: "
                     : std::to_string(job.witnesses.size()) + " workers died with it, the last: ") +
                who;
  report(ticket, std::move(lost));
}

std::optional<JobQueue::Finished> JobQueue::next_finished(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  results_.wait_for(lock, timeout, [this] { return closed_ || !finished_.empty(); });
  if (finished_.empty()) return std::nullopt;
  Finished finished = std::move(finished_.front());
  finished_.pop_front();
  return finished;
}

std::optional<std::string> JobQueue::failing(uint64_t times) const {
  const std::lock_guard lock(mutex_);
  return failures_in_a_row_ >= times ? std::optional(last_failure_) : std::nullopt;
}

void JobQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  results_.notify_all();
}

bool JobQueue::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

JobQueue::Counts JobQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return {waiting_.size(), leased_.size(), done_, redone_};
}

}  // namespace tinytune
