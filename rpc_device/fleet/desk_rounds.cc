#include "rpc_device/fleet/desk_rounds.h"

#include <algorithm>
#include <utility>

namespace tinytune {
namespace {

using Clock = Conversation::Clock;

/// Once a worker has finished a job: limit on the jobs held by workers that have not, or the number
/// of workers that have, if that is larger.
constexpr size_t kJobsOnTrial = 2;

}  // namespace

void hand_out(Desk& desk, const Conversations& all, Clock::time_point now) {
  for (Conversation* worker : all)
    if (worker->to_be_examined(now)) worker->examine(now);
  size_t proven = 0, on_trial = 0;
  for (const Conversation* worker : all) {
    if (worker->proven() && worker->welcome()) ++proven;
    if (!worker->proven() && worker->busy()) ++on_trial;
  }
  const size_t most_on_trial = proven == 0 ? all.size() : std::max(kJobsOnTrial, proven);
  for (const bool of_proven : {true, false}) {
    for (Conversation* worker : all) {
      if (worker->proven() != of_proven || !worker->idle(now)) continue;
      if (!of_proven && on_trial >= most_on_trial) return;
      auto lease = desk.queue.take(worker->skills(), now);
      if (!lease) continue;
      worker->give(std::move(*lease), now);
      if (!of_proven) ++on_trial;
    }
  }
}

FleetView view_of(const Desk& desk, const Conversations& all, double run_ms,
                  Clock::time_point now) {
  const JobQueue::Counts jobs = desk.queue.counts();
  FleetView fleet{desk.device.name, desk.build, run_ms,      jobs.waiting,
                  jobs.leased,      jobs.done,  jobs.redone, {}};
  auto cases = desk.quarantine.cases();
  const auto add_trouble = [](WorkerView& worker, const Quarantine::Case& of) {
    worker.faults = of.faults;
    worker.trouble = to_text(of);
    worker.quarantined = of.held;
  };
  for (const Conversation* conversation : all) {
    if (!conversation->welcome()) continue;
    WorkerView& worker = fleet.workers.emplace_back(conversation->view(now));
    if (const auto of = cases.extract(conversation->place())) add_trouble(worker, of.mapped());
  }
  for (const auto& [place, of] : cases) {  // boards whose workers are gone
    WorkerView& worker = fleet.workers.emplace_back();
    worker.runs_on = place.substr(place.find(' ') + 1);
    worker.state = "gone";
    add_trouble(worker, of);
  }
  return fleet;
}

std::optional<std::string> why_stuck(const Desk& desk, const Conversations& all) {
  std::optional<std::string> why;
  for (const Conversation* worker : all) {
    if (!worker->welcome()) continue;
    if (desk.quarantine.is_unfit(worker->place()))
      why = worker->place() + ": " + to_text(desk.quarantine.cases().at(worker->place()));
    else if (desk.queue.has_work_for(worker->skills()))
      return std::nullopt;
  }
  return why;
}

}  // namespace tinytune
