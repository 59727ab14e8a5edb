// How busy 256 boards would be: the tuner's own job queue under a simulated clock, so that an hour
// of a lab takes a moment and needs no boards. It tells how many build slots and how large a window
// a fleet needs before anybody buys them.
//
// A trial is proposed, built by a build slot and run by a board; each step takes its measured time,
// and the tuner handles one message at a time. Trial times vary by a third. Prints a row for each
// fleet; fails if the fleet with enough build slots and window is below 95 % busy.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "rpc_device/fleet/job_queue.h"

namespace tinytune {
namespace {

constexpr double kLeastBusy = 0.95;
constexpr size_t kTrials = 20'000;

// Seconds.
constexpr double kTrial = 1.0, kBuild = 0.35;
constexpr double kVariation = 1.0 / 3;
constexpr double kMessage = 0.000'4;  ///< tuner's time per message, search included
constexpr double kLink = 0.02;        ///< round trip, and transfer of the image

struct Fleet {
  int boards = 256, build_slots = 128;
  size_t window = 512;
};

class Simulation {
 public:
  Simulation(const Fleet& fleet, uint64_t seed) : fleet_(fleet), rng_(seed) {
    for (int i = 0; i < fleet.build_slots; ++i) add_worker({0, true, ""});
    for (int i = 0; i < fleet.boards; ++i) add_worker({0, false, "board"});
  }

  /// Returns the share of the boards' time in which they ran something.
  double run() {
    propose();
    hand_out();
    while (finished_ < kTrials) {
      const Event event = events_.top();
      events_.pop();
      now_ = std::max(event.at, tuner_free_);
      tuner_free_ = now_ + kMessage;
      end_step(event.worker);
      propose();
      hand_out();
    }
    return busy_ / (fleet_.boards * now_);
  }

 private:
  struct Worker {
    WorkerSkills skills;
    std::optional<JobQueue::Lease> lease;
  };
  struct Event {
    double at = 0;
    size_t worker = 0;
    bool operator<(const Event& other) const { return at > other.at; }
  };

  void add_worker(WorkerSkills skills) {
    skills.instance = workers_.size() + 1;
    workers_.push_back({std::move(skills), std::nullopt});
  }

  void propose() {
    for (; submitted_ < kTrials && submitted_ - finished_ < fleet_.window; ++submitted_)
      queue_.submit(0, "trial", {}, Fidelity::kBoard);
  }

  double seconds(double mean) { return mean * (1 + kVariation * (2 * rng_.uniform() - 1)); }

  // Workers of a kind are alike: once one gets nothing, the others need not ask.
  void hand_out() {
    bool for_builders = true, for_boards = true;
    for (size_t i = 0; i < workers_.size(); ++i) {
      Worker& worker = workers_[i];
      bool& is_something = worker.skills.builds ? for_builders : for_boards;
      if (worker.lease || !is_something) continue;
      worker.lease = queue_.take(worker.skills);
      is_something = worker.lease.has_value();
      if (!is_something) continue;
      const bool runs = worker.lease->step == JobStep::kRunImage;
      const double spent = seconds(runs ? kTrial : kBuild);
      if (runs) busy_ += spent;
      tuner_free_ += kMessage;
      events_.push({tuner_free_ + kLink + spent, i});
    }
  }

  void end_step(size_t number) {
    const JobQueue::Lease lease = *std::exchange(workers_[number].lease, std::nullopt);
    if (lease.step == JobStep::kMakeImage) {
      queue_.hand_on(lease.ticket, {}, "image");
      return;
    }
    queue_.finish(lease.ticket, {});
    while (queue_.next_finished(std::chrono::milliseconds(0))) ++finished_;
  }

  const Fleet fleet_;
  Rng rng_;
  JobQueue queue_;
  std::vector<Worker> workers_;
  std::priority_queue<Event> events_;
  double now_ = 0, tuner_free_ = 0, busy_ = 0;
  size_t submitted_ = 0, finished_ = 0;
};

int run() {
  std::printf("boards  build slots  window   busy\n");
  double enough = 0;
  for (const Fleet& fleet :
       {Fleet{32, 16, 64}, Fleet{256, 128, 256}, Fleet{256, 64, 512}, Fleet{256, 128, 512}}) {
    enough = Simulation(fleet, 1).run();
    std::printf("%6d  %11d  %6zu  %4.1f %%\n", fleet.boards, fleet.build_slots, fleet.window,
                100 * enough);
  }
  return enough >= kLeastBusy ? 0 : 1;
}

}  // namespace
}  // namespace tinytune

int main() { return tinytune::run(); }
