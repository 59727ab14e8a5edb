#include "rpc_device/fleet/conversation.h"

#include <unistd.h>

#include <algorithm>

#include "base/hash.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.pb.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

/// Pause after a failure of a worker's environment: another worker may succeed, and a full disk
/// does not empty itself in a millisecond.
constexpr milliseconds kRest{500};

double milliseconds_between(Conversation::Clock::time_point from,
                            Conversation::Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

rpc::Step step_of(JobStep step) {
  switch (step) {
    case JobStep::kBuild:
      return rpc::STEP_BUILD;
    case JobStep::kMakeImage:
      return rpc::STEP_MAKE_IMAGE;
    case JobStep::kRunImage:
      return rpc::STEP_RUN_IMAGE;
    case JobStep::kMeasure:
      return rpc::STEP_MEASURE;
  }
  return rpc::STEP_UNKNOWN;
}

Error nonsense(const std::string& what) { return Error(ErrorCode::kInvalidInput, what); }

// Returns an ability that the worker offers without permission; empty: all are permitted.
std::string beyond_scope(const rpc::Hello& hello, const Scope& scope) {
  if (hello.builds() && !scope.build) return "build";
  const std::string& runs_on = hello.runs_on();
  if (runs_on == kSimulatorSource) return scope.run ? "" : "run in a simulator";
  return runs_on.empty() || scope.device ? "" : "run on a board";
}

}  // namespace

Conversation::Conversation(Desk& desk, bool local, const Scope& scope, Clock::time_point now)
    : desk_(desk), local_(local), scope_(scope), connected_at_(now), heard_at_(now) {}
Conversation::~Conversation() = default;

Status Conversation::receive(const rpc::FromWorker& message, Clock::time_point now) {
  TT_TRY(check_message(message));
  heard_at_ = now;
  if (phase_ == Phase::kExpectsHello) {
    if (!message.has_hello()) return nonsense("something else than a Hello");
    return greet(message.hello(), now);
  }
  if (phase_ != Phase::kWelcome) return ok_status();  // sent before our last message arrived
  switch (message.kind_case()) {
    case rpc::FromWorker::kHeartbeat:
      alive_ = true;
      return ok_status();
    case rpc::FromWorker::kStarted:
      if (!lease_ || message.started().ticket() != lease_->ticket)
        return nonsense("the start of a job that it was not given");
      begun_ = true;
      return ok_status();
    case rpc::FromWorker::kFinished:
      return finish(message.finished(), now);
    case rpc::FromWorker::kFailed:
      if (!lease_ || message.failed().ticket() != lease_->ticket)
        return nonsense("the failure of a job that it was not given");
      desk_.log(LogLevel::kWarning,
                "worker " + statistics_.name + " could not do a job: " + message.failed().why());
      desk_.queue.give_back_failed(lease_->ticket, message.failed().why());
      note_fault(message.failed().why(), now);
      rest(now);
      rests_until_ = now + kRest;
      return ok_status();
    case rpc::FromWorker::kPiece:
      return add_piece(message.piece(), now);
    case rpc::FromWorker::kExamined:
      return take_finding(message.examined().wrong(), now);
    default:
      return nonsense("a second Hello");
  }
}

std::string Conversation::why_not(const rpc::Hello& hello) const {
  if (hello.protocol() != kProtocolVersion)
    return "the worker speaks protocol " + std::to_string(hello.protocol()) +
           ", the tuner protocol " + std::to_string(kProtocolVersion);
  if (hello.build() != desk_.build)
    return "the worker is build " + hello.build() + ", the tuner is build " + desk_.build;
  if (hello.device() != desk_.device.name)
    return "the worker measures on " + hello.device() + ", the tuner wants " + desk_.device.name;
  if (hello.device_hash() != desk_.device.hash)
    return "the worker's device file " + hello.device() + " (" + hex64(hello.device_hash()) +
           ") differs from the tuner's (" + hex64(desk_.device.hash) + ")";
  if (const std::string beyond = beyond_scope(hello, scope_); !beyond.empty())
    return "the worker's keys do not let it " + beyond + "; see tune keys --scope";
  if (!hello.builds() && hello.runs_on().empty()) return "the worker neither builds nor runs";
  return "";
}

Status Conversation::greet(const rpc::Hello& hello, Clock::time_point now) {
  statistics_.name = hello.host() + ":" + std::to_string(hello.process());
  rpc::ToWorker answer;
  if (const std::string reason = why_not(hello); !reason.empty()) {
    desk_.log(LogLevel::kWarning, "refused worker " + statistics_.name + ": " + reason);
    answer.mutable_refusal()->set_reason(reason);
    say(std::move(answer));
    phase_ = Phase::kRefused;
    return ok_status();
  }
  answer.mutable_welcome();
  say(std::move(answer));
  skills_ = {hello.instance(), hello.builds(), hello.runs_on()};
  place_ = runs_on_board() ? "board " + skills_.runs_on : "worker " + statistics_.name;
  if (local_ && hello.host() == this_host()) local_process_ = hello.process();
  phase_ = Phase::kWelcome;
  idle_since_ = now;
  if (local_process_ != 0) desk_.welcomed(local_process_);
  return ok_status();
}

bool Conversation::idle(Clock::time_point now) const {
  return phase_ == Phase::kWelcome && alive_ && !lease_ && now >= rests_until_ &&
         !desk_.quarantine.holds(place_);
}

bool Conversation::runs_on_board() const {
  return !skills_.runs_on.empty() && skills_.runs_on != kSimulatorSource;
}

void Conversation::note_fault(const std::string& why, Clock::time_point now) {
  if (desk_.queue.closed() || !desk_.quarantine.fault(place_, why, now)) return;
  desk_.log(LogLevel::kWarning, "quarantine: " + place_ + " gets no more work after " +
                                    to_text(desk_.quarantine.cases().at(place_)));
}

bool Conversation::to_be_examined(Clock::time_point now) const {
  return phase_ == Phase::kWelcome && alive_ && !lease_ && !examined_ &&
         desk_.quarantine.is_due(place_, now);
}

void Conversation::examine(Clock::time_point now) {
  rpc::ToWorker message;
  message.mutable_examine();
  say(std::move(message));
  examined_ = true;
  leased_at_ = now;
}

Status Conversation::take_finding(const std::string& wrong, Clock::time_point now) {
  if (!examined_) return nonsense("a finding that nobody asked for");
  examined_ = false;
  const auto known = desk_.quarantine.cases().find(place_);
  const bool is_news = known != desk_.quarantine.cases().end() && known->second.wrong != wrong;
  desk_.quarantine.examined(place_, wrong, now);
  if (wrong.empty())
    desk_.log(LogLevel::kInfo, "quarantine: " + place_ + " is released: nothing is wrong with it");
  else if (is_news)
    desk_.log(LogLevel::kWarning, "quarantine: " + place_ + " stays: " + wrong);
  return ok_status();
}

void Conversation::give(JobQueue::Lease lease, Clock::time_point now) {
  statistics_.idle_ms += milliseconds_between(idle_since_, now);
  const SharedTask& task = desk_.tasks.at(lease.task);
  if (known_tasks_.insert(lease.task).second) {
    rpc::ToWorker announcement;
    *announcement.mutable_task() = *task.head;
    say(std::move(announcement));
    sending_.push_back({nullptr, Pieces(task.bytes)});
  }
  rpc::ToWorker message;
  rpc::Job& job = *message.mutable_job();
  job.set_ticket(lease.ticket);
  job.set_task(task.head->id());
  job.set_schedule(lease.schedule);
  *job.mutable_limits() = to_message(lease.limits);
  job.set_step(step_of(lease.step));
  const bool with_image = lease.step == JobStep::kRunImage;
  if (with_image) job.set_image_bytes(lease.image->size());
  say(std::move(message));
  if (with_image) sending_.push_back({nullptr, Pieces(lease.image)});
  lease_ = std::move(lease);
  begun_ = false;
  leased_at_ = now;
}

Status Conversation::finish(const rpc::Finished& finished, Clock::time_point now) {
  if (!lease_ || incoming_ || finished.ticket() != lease_->ticket)
    return nonsense("the result of a job that it was not given");
  TT_TRY_ASSIGN(MeasureResult result, from_message(finished));
  const bool makes_image = lease_->step == JobStep::kMakeImage;
  TT_TRY(check_result(result, makes_image ? Fidelity::kBuild : lease_->stage, lease_->limits));
  if (const uint64_t least = desk_.tasks.at(lease_->task).least_cycles;
      std::ranges::any_of(result.cycles, [&](uint64_t cycles) { return cycles < least; }))
    return nonsense(std::to_string(std::ranges::min(result.cycles)) +
                    " cycles, where the layer's multiplications take " + std::to_string(least) +
                    " at least");
  result.source = skills_.runs_on.empty() ? std::string(kSimulatorSource) : skills_.runs_on;
  result.build = desk_.build;
  const bool built = makes_image && result.outcome == Outcome::kOk;
  if (built != (finished.image_bytes() > 0)) return nonsense("an image that was not asked for");
  add(statistics_.times, result.times);
  if (built) {
    incoming_.emplace(Incoming{std::move(result), Assembly(finished.image_bytes())});
    return ok_status();
  }
  desk_.queue.finish(lease_->ticket, std::move(result));
  desk_.quarantine.success(place_);
  ++statistics_.jobs;
  rest(now);
  return ok_status();
}

Status Conversation::add_piece(const std::string& piece, Clock::time_point now) {
  if (!incoming_) return nonsense("a piece of nothing");
  TT_TRY(incoming_->image.add(piece));
  if (!incoming_->image.complete()) return ok_status();
  desk_.queue.hand_on(lease_->ticket, std::move(incoming_->built), incoming_->image.take());
  desk_.quarantine.success(place_);
  ++statistics_.jobs;
  rest(now);
  return ok_status();
}

// Ends the lease, whatever the job's outcome.
void Conversation::rest(Clock::time_point now) {
  statistics_.busy_ms += milliseconds_between(leased_at_, now);
  lease_.reset();
  incoming_.reset();
  idle_since_ = now;
  if (proven() && local_process_ != 0) desk_.job_finished(local_process_);
}

std::string Conversation::overdue(Clock::time_point now) const {
  const WorkerPatience& patience = desk_.patience;
  if (phase_ == Phase::kExpectsHello)
    return now >= connected_at_ + patience.hello ? "said nothing" : "";
  if (phase_ != Phase::kWelcome) return "";
  if (now >= heard_at_ + patience.heartbeat)
    return "has been silent for " + std::to_string(patience.heartbeat.count()) + " ms";
  if (lease_ || examined_) {
    const milliseconds most = patience.job + time_of(lease_ ? lease_->limits : MeasureLimits{});
    if (now >= leased_at_ + most)
      return std::string("has been at one ") + (lease_ ? "job" : "examination") + " for " +
             std::to_string(most.count()) + " ms";
  }
  return "";
}

void Conversation::end(const std::string& why, Clock::time_point now) {
  if (phase_ == Phase::kEnded) return;
  const bool was_welcome = phase_ == Phase::kWelcome;
  phase_ = Phase::kEnded;
  sending_.clear();
  if (!was_welcome) return;
  if (lease_ && begun_ && runs_on_board()) note_fault("its worker " + why, now);
  if (examined_) desk_.quarantine.examined(place_, "its worker " + why, now);
  if (!runs_on_board()) desk_.quarantine.forget(place_);
  if (!lease_) {
    statistics_.idle_ms += milliseconds_between(idle_since_, now);
    return;
  }
  if (!desk_.queue.closed())
    desk_.log(LogLevel::kWarning, "lost worker " + statistics_.name + " during a job: " + why);
  if (begun_) {
    desk_.queue.blame(lease_->ticket, skills_.instance, statistics_.name + ", which " + why, now);
  } else {
    desk_.queue.give_back(lease_->ticket);
  }
  lease_.reset();
}

WorkerStatistics Conversation::statistics(Clock::time_point now) const {
  WorkerStatistics all = statistics_;
  if (phase_ == Phase::kWelcome && !lease_) all.idle_ms += milliseconds_between(idle_since_, now);
  return all;
}

const char* Conversation::state(Clock::time_point now) const {
  if (examined_) return "is examined";
  if (desk_.quarantine.holds(place_)) return "in quarantine";
  if (!lease_) return now < rests_until_ ? "rests" : "idle";
  switch (lease_->step) {
    case JobStep::kBuild:
    case JobStep::kMakeImage:
      return "builds";
    case JobStep::kRunImage:
      return "runs";
    case JobStep::kMeasure:
      return "measures";
  }
  return "";
}

WorkerView Conversation::view(Clock::time_point now) const {
  const WorkerStatistics sum = statistics(now);
  WorkerView view;
  view.name = sum.name;
  view.builds = skills_.builds;
  view.runs_on = skills_.runs_on;
  view.state = state(now);
  view.jobs = sum.jobs;
  view.busy_ms = sum.busy_ms;
  view.idle_ms = sum.idle_ms;
  if (lease_) {
    view.job = lease_->schedule;
    view.lease_ms = milliseconds_between(leased_at_, now);
    view.busy_ms += view.lease_ms;
  }
  return view;
}

void Conversation::say(rpc::ToWorker message) {
  sending_.push_back({std::make_unique<rpc::ToWorker>(std::move(message)), std::nullopt});
}

std::optional<rpc::ToWorker> Conversation::next_message() {
  if (sending_.empty()) return std::nullopt;
  rpc::ToWorker message;
  Sending& first = sending_.front();
  if (first.message) {
    message = std::move(*first.message);
    sending_.pop_front();
    return message;
  }
  message.set_piece(std::string(first.pieces->next()));
  if (first.pieces->done()) sending_.pop_front();
  return message;
}

}  // namespace tinytune
