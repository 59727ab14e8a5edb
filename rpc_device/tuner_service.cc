#include "rpc_device/tuner_service.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>

#include "base/hash.h"
#include "rpc_device/protocol.h"
#include "rpc_device/tuner.grpc.pb.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Stream = grpc::ServerReaderWriter<rpc::ToWorker, rpc::FromWorker>;

constexpr milliseconds kLookAround{100};  // how soon an idle worker's death is seen

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

struct Connection {
  grpc::ServerContext* context = nullptr;  // null once the handler has returned
  int64_t local_process = 0;               // 0 for a worker of another machine
  WorkerStatistics statistics;
  std::optional<Clock::time_point> lease_ends;
};

void add(StageTimes& to, const StageTimes& times) {
  to.lower_ms += times.lower_ms;
  to.llvm_ms += times.llvm_ms;
  to.link_ms += times.link_ms;
  to.run_ms += times.run_ms;
  to.verify_ms += times.verify_ms;
}

}  // namespace

struct TunerService::State final : rpc::Tuner::Service {
  State(const Device& device, JobQueue& queue, int lease_ms, Events events, LogSink log)
      : device(device), queue(queue), lease(lease_ms), events(std::move(events)), log(log) {}

  grpc::Status Work(grpc::ServerContext* context, Stream* stream) override;
  std::string why_not(const rpc::Hello& hello) const;
  void serve(Connection& connection, Stream& stream);
  bool do_job(Connection& connection, Stream& stream, const JobQueue::Job& job,
              std::set<size_t>& known_tasks);

  const Device device;
  JobQueue& queue;
  const milliseconds lease;
  const Events events;
  const LogSink log;
  Address address;

  mutable std::shared_mutex mutex;  // guards what follows
  std::vector<std::unique_ptr<rpc::ToWorker>> tasks;
  std::list<Connection> connections;
  std::unique_ptr<grpc::Server> server;
};

std::string TunerService::State::why_not(const rpc::Hello& hello) const {
  if (hello.protocol() != kProtocolVersion)
    return "the worker speaks protocol " + std::to_string(hello.protocol()) +
           ", the tuner protocol " + std::to_string(kProtocolVersion);
  if (hello.device() != device.name)
    return "the worker measures on " + hello.device() + ", the tuner wants " + device.name;
  if (hello.device_hash() != device.hash)
    return "the worker's device file " + hello.device() + " (" + hex64(hello.device_hash()) +
           ") differs from the tuner's (" + hex64(device.hash) + ")";
  return "";
}

grpc::Status TunerService::State::Work(grpc::ServerContext* context, Stream* stream) {
  rpc::FromWorker first;
  if (!stream->Read(&first) || !first.has_hello())
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "expected a Hello");
  const rpc::Hello& hello = first.hello();
  const std::string name = hello.host() + ":" + std::to_string(hello.process());
  if (const std::string reason = why_not(hello); !reason.empty()) {
    log(LogLevel::kWarning, "refused worker " + name + ": " + reason);
    rpc::ToWorker refusal;
    refusal.mutable_refusal()->set_reason(reason);
    stream->Write(refusal);
    return grpc::Status::OK;
  }
  rpc::ToWorker welcome;
  welcome.mutable_welcome();
  if (!stream->Write(welcome)) return grpc::Status::CANCELLED;

  Connection* connection = nullptr;
  {
    const std::unique_lock lock(mutex);
    connection = &connections.emplace_back();
    connection->context = context;
    connection->local_process = hello.host() == this_host() ? hello.process() : 0;
    connection->statistics.name = name;
  }
  serve(*connection, *stream);
  const std::unique_lock lock(mutex);
  connection->context = nullptr;
  return grpc::Status::OK;
}

void TunerService::State::serve(Connection& connection, Stream& stream) {
  std::set<size_t> known_tasks;
  bool alive = true;
  while (alive && !queue.closed() && !connection.context->IsCancelled()) {
    const auto idle_since = Clock::now();
    const auto job = queue.take(kLookAround);
    {
      const std::unique_lock lock(mutex);
      connection.statistics.idle_ms += milliseconds_since(idle_since);
    }
    if (job) alive = do_job(connection, stream, *job, known_tasks);
  }
}

// False if the worker is gone, or talks nonsense and should be.
bool TunerService::State::do_job(Connection& connection, Stream& stream, const JobQueue::Job& job,
                                 std::set<size_t>& known_tasks) {
  const auto start = Clock::now();
  const rpc::ToWorker* task = nullptr;
  {
    const std::unique_lock lock(mutex);
    if (known_tasks.insert(job.task).second) task = tasks[job.task].get();
    connection.lease_ends = start + lease;
  }
  rpc::ToWorker message;
  rpc::Job& sent = *message.mutable_job();
  sent.set_ticket(job.ticket);
  sent.set_schedule(job.schedule);
  *sent.mutable_limits() = to_message(job.limits);
  {
    const std::shared_lock lock(mutex);
    sent.set_task(tasks[job.task]->task().hash());
  }
  bool begun = false;
  std::optional<MeasureResult> result;
  rpc::FromWorker answer;
  if ((task == nullptr || stream.Write(*task)) && stream.Write(message)) {
    while (!result && stream.Read(&answer)) {
      if (answer.has_started() && answer.started().ticket() == job.ticket) {
        begun = true;
        continue;
      }
      if (!answer.has_finished() || answer.finished().ticket() != job.ticket) break;
      auto parsed = from_message(answer.finished());
      if (!parsed) break;
      result = std::move(parsed).value();
    }
  }
  const std::string& name = connection.statistics.name;
  {
    const std::unique_lock lock(mutex);
    connection.lease_ends.reset();
    if (result) {
      ++connection.statistics.jobs;
      connection.statistics.busy_ms += milliseconds_since(start);
      add(connection.statistics.times, result->times);
    }
  }
  if (!result) {
    if (!queue.closed()) log(LogLevel::kWarning, "lost worker " + name + " during a job");
    queue.abandon(job.ticket, begun, name);
    return false;
  }
  queue.finish(job.ticket, std::move(*result));
  if (connection.local_process != 0) events.job_finished(connection.local_process);
  return true;
}

Result<std::unique_ptr<TunerService>> TunerService::listen(const Address& address,
                                                           const Device& device, JobQueue& queue,
                                                           int lease_ms, Events events,
                                                           LogSink log) {
  TT_TRY(check_unused(address));
  auto state = std::make_unique<State>(device, queue, lease_ms, std::move(events), std::move(log));
  state->address = address;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMessageLimitBytes);
  builder.SetMaxSendMessageSize(kMessageLimitBytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // A worker whose machine vanished says nothing; a ping finds out. And workers ping us.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.RegisterService(state.get());
  int port = 0;
  builder.AddListeningPort(address.text(), grpc::InsecureServerCredentials(), &port);
  state->server = builder.BuildAndStart();
  if (!state->server || (port == 0 && !address.is_unix))
    return Error(ErrorCode::kFailed, "cannot listen on " + address.text());
  if (!address.is_unix) state->address.port = port;
  return std::unique_ptr<TunerService>(new TunerService(std::move(state)));
}

TunerService::TunerService(std::unique_ptr<State> state) : state_(std::move(state)) {}

TunerService::~TunerService() {
  // Idle handlers return by themselves now; those in a job are cut off at the deadline.
  state_->server->Shutdown(std::chrono::system_clock::now() + milliseconds(100));
  state_->server->Wait();
}

std::string TunerService::address() const { return state_->address.text(); }

size_t TunerService::add_task(const TaskData& task) {
  auto message = std::make_unique<rpc::ToWorker>();
  *message->mutable_task() = to_message(task);
  const std::unique_lock lock(state_->mutex);
  state_->tasks.push_back(std::move(message));
  return state_->tasks.size() - 1;
}

size_t TunerService::connected() const {
  const std::shared_lock lock(state_->mutex);
  size_t count = 0;
  for (const Connection& c : state_->connections) count += c.context != nullptr ? 1 : 0;
  return count;
}

std::vector<WorkerStatistics> TunerService::statistics() const {
  const std::shared_lock lock(state_->mutex);
  std::vector<WorkerStatistics> all;
  for (const Connection& c : state_->connections) all.push_back(c.statistics);
  return all;
}

void TunerService::expire_leases() {
  std::vector<int64_t> processes;
  {
    const std::unique_lock lock(state_->mutex);
    for (Connection& c : state_->connections) {
      if (c.context == nullptr || !c.lease_ends || Clock::now() < *c.lease_ends) continue;
      state_->log(LogLevel::kWarning, "worker " + c.statistics.name + " has been silent for " +
                                          std::to_string(state_->lease.count()) + " ms");
      c.lease_ends.reset();
      c.context->TryCancel();
      if (c.local_process != 0) processes.push_back(c.local_process);
    }
  }
  for (const int64_t process : processes) state_->events.lease_expired(process);
}

}  // namespace tinytune
