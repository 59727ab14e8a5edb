// The protocol between the tuner and one worker, from Hello to the end, independent of the wire:
// messages go in, messages come out, and time is an argument.
//
// A worker sends a heartbeat every second, so its loss is noticed in seconds although a job may
// take minutes. A job also has a deadline, because a heartbeat shows that a process lives, not that
// it makes progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "devices/device.h"
#include "rpc_device/fleet/fleet_view.h"
#include "rpc_device/fleet/job_queue.h"
#include "rpc_device/fleet/pieces.h"
#include "rpc_device/fleet/quarantine.h"
#include "rpc_device/fleet/scope.h"
#include "rpc_device/fleet/worker_pool.h"
#include "tinytune/result.h"

namespace tinytune {

namespace rpc {  // of tuner.proto
class Finished;
class FromWorker;
class Hello;
class TaskHead;
class ToWorker;
}  // namespace rpc

/// A task as sent to each worker, once.
struct SharedTask {
  std::unique_ptr<rpc::TaskHead> head;
  std::shared_ptr<const std::string> bytes;
  uint64_t least_cycles = 1;  ///< lower bound; a result below it is refused
};

/// State shared by all conversations of a tuner.
struct Desk {
  Device device;
  std::string build;
  WorkerPatience patience;
  JobQueue& queue;
  LogSink log;
  std::function<void(int64_t process)> welcomed;      ///< for processes of this machine
  std::function<void(int64_t process)> job_finished;  ///< for processes of this machine
  std::vector<SharedTask> tasks;
  Quarantine quarantine;
};

/// Not thread-safe: the service's lock guards it and its desk.
class Conversation {
 public:
  using Clock = JobQueue::Clock;

  /// `local`: the worker connects from this machine, so its process may be ours.
  /// `scope`: permissions of the worker, by its keys or because it is on this machine.
  Conversation(Desk& desk, bool local, const Scope& scope, Clock::time_point now);
  ~Conversation();

  /// Handles a message. Any error ends the conversation: the worker violates the protocol.
  Status receive(const rpc::FromWorker& message, Clock::time_point now);
  /// Returns the next message to send; nullopt if there is none for now.
  std::optional<rpc::ToWorker> next_message();
  /// Returns whether the worker was refused, so that the stream can end.
  bool refused() const { return phase_ == Phase::kRefused; }

  /// Returns whether it was welcomed, has sent a heartbeat, has no job, does not rest, and is not
  /// in quarantine.
  bool idle(Clock::time_point now) const;
  /// Returns whether it has ever finished a job here; hand_out() gives others only a few jobs.
  bool proven() const { return statistics_.jobs > 0; }
  bool busy() const { return lease_.has_value(); }
  bool welcome() const { return phase_ == Phase::kWelcome; }
  const WorkerSkills& skills() const { return skills_; }
  void give(JobQueue::Lease lease, Clock::time_point now);

  /// Returns whether it is in quarantine, due for an examination, and free for one.
  bool to_be_examined(Clock::time_point now) const;
  void examine(Clock::time_point now);

  /// Returns why the worker must be given up by now; empty if it need not.
  std::string overdue(Clock::time_point now) const;
  /// Ends the conversation because the worker is gone or given up; its job goes back.
  void end(const std::string& why, Clock::time_point now);

  int64_t local_process() const { return local_process_; }  ///< 0: on another machine
  /// Returns the statistics up to `now`.
  WorkerStatistics statistics(Clock::time_point now) const;
  WorkerView view(Clock::time_point now) const;
  /// Returns its name in the Quarantine.
  const std::string& place() const { return place_; }

 private:
  enum class Phase { kExpectsHello, kWelcome, kRefused, kEnded };
  using Outgoing = std::unique_ptr<rpc::ToWorker>;

  Status greet(const rpc::Hello& hello, Clock::time_point now);
  std::string why_not(const rpc::Hello& hello) const;
  Status finish(const rpc::Finished& finished, Clock::time_point now);
  void rest(Clock::time_point now);
  Status add_piece(const std::string& piece, Clock::time_point now);
  Status take_finding(const std::string& wrong, Clock::time_point now);
  void note_fault(const std::string& why, Clock::time_point now);
  bool runs_on_board() const;
  const char* state(Clock::time_point now) const;
  void say(rpc::ToWorker message);

  struct Incoming {  // an image that is being received
    MeasureResult built;
    Assembly image;
  };

  Desk& desk_;
  const bool local_;
  const Scope scope_;
  Phase phase_ = Phase::kExpectsHello;
  WorkerSkills skills_;
  std::string place_;
  int64_t local_process_ = 0;
  WorkerStatistics statistics_;
  std::set<size_t> known_tasks_;

  std::optional<JobQueue::Lease> lease_;
  bool begun_ = false;
  std::optional<Incoming> incoming_;
  bool examined_ = false;  ///< an examination is under way
  Clock::time_point connected_at_, heard_at_, leased_at_, idle_since_, rests_until_;
  bool alive_ = false;  ///< a heartbeat was received

  struct Sending {  // one message, or bytes in pieces
    Outgoing message;
    std::optional<Pieces> pieces;
  };
  std::deque<Sending> sending_;
};

}  // namespace tinytune
