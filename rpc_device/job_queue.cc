#include "rpc_device/job_queue.h"

#include "base/check.h"

namespace tinytune {

uint64_t JobQueue::submit(size_t task, std::string schedule, const MeasureLimits& limits) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({next_ticket_, task, std::move(schedule), limits, 0});
  work_.notify_one();
  return next_ticket_++;
}

std::optional<JobQueue::Job> JobQueue::take(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  work_.wait_for(lock, timeout, [this] { return closed_ || !waiting_.empty(); });
  if (closed_ || waiting_.empty()) return std::nullopt;
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  leased_.emplace(job.ticket, job);
  return job;
}

void JobQueue::finish(uint64_t ticket, MeasureResult result) {
  const std::lock_guard lock(mutex_);
  TT_CHECK(leased_.erase(ticket) == 1, "a result for a job that nobody holds");
  finished_.push_back({ticket, std::move(result)});
  results_.notify_one();
}

void JobQueue::abandon(uint64_t ticket, bool begun, const std::string& why) {
  const std::lock_guard lock(mutex_);
  auto node = leased_.extract(ticket);
  TT_CHECK(!node.empty(), "a lease that nobody holds");
  Job job = std::move(node.mapped());
  if (begun && ++job.deaths >= kDeathsUntilLost) {
    MeasureResult lost;
    lost.outcome = Outcome::kLost;
    lost.detail = std::to_string(job.deaths) + " workers died with it, the last: " + why;
    finished_.push_back({ticket, std::move(lost)});
    results_.notify_one();
    return;
  }
  if (begun) ++redone_;
  waiting_.push_front(std::move(job));
  work_.notify_one();
}

std::optional<JobQueue::Finished> JobQueue::next_finished(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  results_.wait_for(lock, timeout, [this] { return closed_ || !finished_.empty(); });
  if (finished_.empty()) return std::nullopt;
  Finished finished = std::move(finished_.front());
  finished_.pop_front();
  return finished;
}

void JobQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_all();
  results_.notify_all();
}

bool JobQueue::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

uint64_t JobQueue::redone() const {
  const std::lock_guard lock(mutex_);
  return redone_;
}

}  // namespace tinytune
