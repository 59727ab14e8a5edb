#include "rpc_device/fleet/tuner_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "rpc_device/fleet/build_id.h"
#include "rpc_device/fleet/desk_rounds.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.grpc.pb.h"
#include "templates/least_cycles.h"

namespace tinytune {
namespace {

using Clock = Conversation::Clock;
using std::chrono::milliseconds;

/// How long workers have to learn that the run is over.
constexpr milliseconds kFarewell{200};

void configure(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(most::kMessageBytes);
  builder.SetMaxSendMessageSize(most::kMessageBytes);
  for (const auto packed : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP})  // could grow past limits
    builder.SetCompressionAlgorithmSupportStatus(packed, false);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // A worker has one connection with one stream; a connection that stays silent is closed.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // windows stay small
  // A worker whose machine vanished does not close its connection; a keepalive ping detects this.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
}

bool is_local(const std::string& peer) {
  return peer.starts_with("unix:") || peer.starts_with("ipv4:127.") ||
         peer.starts_with("ipv6:[::1]") || peer.starts_with("ipv6:%5B::1%5D");
}

void add(WorkerStatistics& sum, const WorkerStatistics& worker) {
  sum.jobs += worker.jobs;
  sum.busy_ms += worker.busy_ms;
  sum.idle_ms += worker.idle_ms;
  add(sum.times, worker.times);
}

}  // namespace

// One lock guards everything. Operations may be started under it: gRPC runs their callbacks on its
// own threads, never inside the call.
struct TunerService::State final : rpc::Tuner::CallbackService {
  class Stream;
  using Reactor = grpc::ServerBidiReactor<rpc::FromWorker, rpc::ToWorker>;

  State(Desk desk, Admission admission, Events events, size_t most_connections)
      : admission(std::move(admission)),
        desk(std::move(desk)),
        events(std::move(events)),
        most_connections(most_connections) {}

  Reactor* Work(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Look(grpc::CallbackServerContext* context, const rpc::LookRequest*,
                                 rpc::Fleet* fleet) override;
  Conversations conversations() const;
  template <typename Skill>
  bool has_worker_with(Skill skill) const;
  void settle();
  std::vector<int64_t> give_up_overdue(Clock::time_point now);

  const Admission admission;
  mutable std::mutex mutex;
  Desk desk;
  const Events events;
  const size_t most_connections;
  Address address;
  bool closing = false;
  const Clock::time_point opened_at = Clock::now();
  std::list<std::unique_ptr<Stream>> streams;
  WorkerStatistics departed;
  std::unique_ptr<grpc::Server> server;
};

class TunerService::State::Stream final : public Reactor {
 public:
  Stream(State& state, grpc::CallbackServerContext* context, const Scope& scope)
      : state_(state),
        context_(context),
        conversation_(state.desk, is_local(context->peer()), scope, Clock::now()) {}

  Conversation& conversation() { return conversation_; }

  /// Returns whether it counts as a connection: one that is over only waits for gRPC to release it.
  bool takes_a_place() const { return !over_; }

  void open() { StartRead(&incoming_); }

  /// Ends the stream before anything of it is read.
  void turn_away(grpc::Status why) {
    status_ = std::move(why);
    over_ = true;
  }

  /// Ends the stream against a worker's will; cancels a pending write, which it may be blocking.
  void cut(const std::string& why) {
    if (over_) return;
    over_ = true;
    status_ = {grpc::StatusCode::CANCELLED, "the worker " + why};
    conversation_.end(why, Clock::now());
    if (writing_) context_->TryCancel();
  }

  /// Starts the next write, or the end of the stream, if possible.
  void proceed() {
    if (finished_ || writing_) return;
    if (!over_) {
      if (auto message = conversation_.next_message()) {
        outgoing_ = std::move(*message);
        writing_ = true;
        return StartWrite(&outgoing_);
      }
    }
    if (over_ || conversation_.refused() || state_.closing) {
      finished_ = true;
      Finish(status_);
    }
  }

  void OnReadDone(bool ok) override {
    const std::lock_guard lock(state_.mutex);
    if (over_ || state_.closing) return state_.settle();
    if (!ok) {
      over_ = true;
      conversation_.end("is gone", Clock::now());
    } else if (const Status read = conversation_.receive(incoming_, Clock::now()); !read) {
      const std::string name = conversation_.statistics(Clock::now()).name;
      state_.desk.log(LogLevel::kWarning, "cut off worker " + (name.empty() ? "of no name" : name) +
                                              ": it sent " + read.error().message());
      cut("sent " + read.error().message());
    } else if (!finished_) {
      StartRead(&incoming_);
    }
    state_.settle();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(state_.mutex);
    writing_ = false;
    if (!ok && !over_) {
      over_ = true;
      conversation_.end("is gone", Clock::now());
    }
    state_.settle();
  }

  void OnDone() override {
    State& state = state_;
    const std::lock_guard lock(state.mutex);
    conversation_.end("is gone", Clock::now());
    add(state.departed, conversation_.statistics(Clock::now()));
    const auto self = std::find_if(state.streams.begin(), state.streams.end(),
                                   [this](const auto& stream) { return stream.get() == this; });
    TT_CHECK(self != state.streams.end(), "a stream ends twice");
    state.streams.erase(self);  // destroys *this
    state.settle();
  }

 private:
  State& state_;
  grpc::CallbackServerContext* const context_;
  Conversation conversation_;
  rpc::FromWorker incoming_;
  rpc::ToWorker outgoing_;
  grpc::Status status_;
  bool writing_ = false, over_ = false, finished_ = false;
};

TunerService::State::Reactor* TunerService::State::Work(grpc::CallbackServerContext* context) {
  const Result<Scope> scope = admission.admit(*context);
  const std::lock_guard lock(mutex);
  const auto taken = static_cast<size_t>(std::count_if(
      streams.begin(), streams.end(), [](const auto& stream) { return stream->takes_a_place(); }));
  Stream* stream =
      streams.emplace_back(std::make_unique<Stream>(*this, context, scope ? *scope : Scope{}))
          .get();
  if (!scope) {
    const std::string& why = scope.error().message();
    desk.log(LogLevel::kWarning, "refused a worker at " + context->peer() + ": " + why);
    stream->turn_away({grpc::StatusCode::UNAUTHENTICATED, why});
  } else if (taken >= most_connections) {
    stream->turn_away({grpc::StatusCode::RESOURCE_EXHAUSTED,
                       "the tuner has " + std::to_string(most_connections) + " workers, its most"});
  } else {
    stream->open();
  }
  settle();
  return stream;
}

grpc::ServerUnaryReactor* TunerService::State::Look(grpc::CallbackServerContext* context,
                                                    const rpc::LookRequest*, rpc::Fleet* fleet) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  const Result<Scope> scope = admission.admit(*context);
  if (scope && scope->view) {
    const std::lock_guard lock(mutex);
    const auto now = Clock::now();
    const std::chrono::duration<double, std::milli> open = now - opened_at;
    *fleet = to_message(view_of(desk, conversations(), open.count(), now));
    reactor->Finish(grpc::Status::OK);
  } else {
    reactor->Finish({grpc::StatusCode::UNAUTHENTICATED,
                     scope ? "these keys do not let you view the fleet; see tune keys --scope"
                           : scope.error().message()});
  }
  return reactor;
}

Conversations TunerService::State::conversations() const {
  Conversations all;
  for (const auto& stream : streams) all.push_back(&stream->conversation());
  return all;
}

void TunerService::State::settle() {
  tinytune::hand_out(desk, conversations(), Clock::now());
  for (const auto& stream : streams) stream->proceed();
}

std::vector<int64_t> TunerService::State::give_up_overdue(Clock::time_point now) {
  std::vector<int64_t> processes;
  for (const auto& stream : streams) {
    Conversation& worker = stream->conversation();
    const std::string why = worker.overdue(now);
    if (why.empty()) continue;
    if (worker.welcome() && !worker.busy())
      desk.log(LogLevel::kWarning, "worker " + worker.statistics(now).name + " " + why);
    stream->cut(why);
    if (worker.local_process() != 0) processes.push_back(worker.local_process());
  }
  return processes;
}

Result<std::unique_ptr<TunerService>> TunerService::listen(const Entrances& entrances,
                                                           const Device& device, JobQueue& queue,
                                                           const WorkerPoolOptions& options,
                                                           Events events, LogSink log) {
  const Address& address = entrances.address;
  TT_TRY(check_unused(address));
  Desk desk{device,         build_id(),      options.patience,    queue,
            std::move(log), events.welcomed, events.job_finished, {}};
  auto state = std::make_unique<State>(std::move(desk), entrances.admission, std::move(events),
                                       options.most_connections);
  state->address = address;
  grpc::ServerBuilder builder;
  configure(builder);
  builder.RegisterService(state.get());
  int port = 0;
  builder.AddListeningPort(address.text(), state->admission.credentials(), &port);
  if (entrances.beside)
    builder.AddListeningPort(entrances.beside->text(), grpc::InsecureServerCredentials());
  state->server = builder.BuildAndStart();
  if (!state->server || (port == 0 && !address.is_unix))
    return Error(ErrorCode::kFailed, "cannot listen on " + address.text());
  if (!address.is_unix) state->address.port = port;
  return std::unique_ptr<TunerService>(new TunerService(std::move(state)));
}

TunerService::TunerService(std::unique_ptr<State> state) : state_(std::move(state)) {}

TunerService::~TunerService() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->settle();
  }
  state_->server->Shutdown(std::chrono::system_clock::now() + kFarewell);
  state_->server->Wait();
}

std::string TunerService::address() const { return state_->address.text(); }

size_t TunerService::add_task(const TaskData& task) {
  auto bytes = std::make_shared<const std::string>(to_wire(task));
  auto head = std::make_unique<rpc::TaskHead>(head_of(task, bytes->size()));
  const std::lock_guard lock(state_->mutex);
  state_->desk.tasks.push_back(
      {std::move(head), std::move(bytes), least_cycles(task.workload, state_->desk.device)});
  return state_->desk.tasks.size() - 1;
}

size_t TunerService::connected() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<size_t>(
      std::count_if(state_->streams.begin(), state_->streams.end(),
                    [](const auto& stream) { return stream->conversation().welcome(); }));
}

template <typename Skill>
bool TunerService::State::has_worker_with(Skill skill) const {
  const std::lock_guard lock(mutex);
  return std::any_of(streams.begin(), streams.end(), [&](const auto& stream) {
    const Conversation& worker = stream->conversation();
    return worker.welcome() && skill(worker.skills());
  });
}

bool TunerService::has_builder() const {
  return state_->has_worker_with([](const WorkerSkills& skills) { return skills.builds; });
}

bool TunerService::has_runner(bool on_boards) const {
  return state_->has_worker_with([&](const WorkerSkills& skills) {
    return !skills.runs_on.empty() && (skills.runs_on != kSimulatorSource) == on_boards;
  });
}

std::optional<std::string> TunerService::awaited() const {
  const JobQueue& queue = state_->desk.queue;
  const JobQueue::Counts jobs = queue.counts();
  if (jobs.leased > 0 || jobs.waiting == 0) return std::nullopt;
  if (state_->has_worker_with([&](const WorkerSkills& one) { return queue.has_work_for(one); }))
    return std::nullopt;
  return connected() == 0 ? "a worker"
         : has_builder()  ? "a worker that runs"
                          : "a worker that builds";
}

std::optional<std::string> TunerService::why_stuck() const {
  const std::lock_guard lock(state_->mutex);
  const Desk& desk = state_->desk;
  const JobQueue::Counts jobs = desk.queue.counts();
  if (jobs.leased > 0 || jobs.waiting == 0) return std::nullopt;
  return tinytune::why_stuck(desk, state_->conversations());
}

PoolStatistics TunerService::statistics() const {
  const std::lock_guard lock(state_->mutex);
  PoolStatistics all;
  all.departed = state_->departed;
  for (const auto& stream : state_->streams)
    if (stream->conversation().welcome())
      all.workers.push_back(stream->conversation().statistics(Clock::now()));
  return all;
}

void TunerService::hand_out() {
  const std::lock_guard lock(state_->mutex);
  state_->settle();
}

void TunerService::look_around() {
  std::vector<int64_t> processes;
  {
    const std::lock_guard lock(state_->mutex);
    processes = state_->give_up_overdue(Clock::now());
    state_->settle();
  }
  for (const int64_t process : processes) state_->events.given_up(process);
}

}  // namespace tinytune
