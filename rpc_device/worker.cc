#include "rpc_device/worker.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "measure/measurer.h"
#include "rpc_device/address.h"
#include "rpc_device/protocol.h"
#include "rpc_device/simulator_board.h"
#include "rpc_device/tuner.grpc.pb.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using Stream = grpc::ClientReaderWriter<rpc::FromWorker, rpc::ToWorker>;

// How long a job may go on after its tuner has died.
constexpr milliseconds kGrace{2'000};
constexpr int kTunerGone = 1;

// Reads the stream while the main thread measures, so that the tuner's death is noticed during a
// job and not after it.
class Inbox {
 public:
  explicit Inbox(Stream& stream) : stream_(stream), reader_([this] { read(); }) {}
  ~Inbox() {
    {
      const std::lock_guard lock(mutex_);
      left_ = true;
      changed_.notify_all();
    }
    reader_.join();
  }

  /// The next message; nothing once the stream has ended.
  std::optional<rpc::ToWorker> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !messages_.empty(); });
    if (messages_.empty()) {
      left_ = true;
      changed_.notify_all();
      return std::nullopt;
    }
    rpc::ToWorker message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

 private:
  void read() {
    rpc::ToWorker message;
    while (stream_.Read(&message)) {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
      changed_.notify_all();
    }
    std::unique_lock lock(mutex_);
    ended_ = true;
    std::erase_if(messages_, [](const rpc::ToWorker& unread) { return unread.has_job(); });
    changed_.notify_all();
    if (!changed_.wait_for(lock, kGrace, [this] { return left_; })) ::_exit(kTunerGone);
  }

  Stream& stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<rpc::ToWorker> messages_;
  bool ended_ = false, left_ = false;
  std::thread reader_;
};

Result<Device> device_of(const std::string& argument) {
  const size_t at = argument.find('@');
  if (at != std::string::npos)
    return Error(ErrorCode::kUnsupported,
                 "device '" + argument + "': this version measures on simulators only; leave out " +
                     "'" + argument.substr(at) + "'");
  return load_device(argument);
}

rpc::FromWorker hello(const Device& device, const std::string& tool) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  rpc::FromWorker message;
  rpc::Hello& hello = *message.mutable_hello();
  hello.set_protocol(kProtocolVersion);
  hello.set_device(device.name);
  hello.set_device_hash(device.hash);
  hello.set_tool(tool);
  hello.set_process(::getpid());
  hello.set_host(host);
  return message;
}

std::shared_ptr<grpc::Channel> dial(const Address& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMessageLimitBytes);
  arguments.SetMaxSendMessageSize(kMessageLimitBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return grpc::CreateCustomChannel(address.text(), grpc::InsecureChannelCredentials(), arguments);
}

class JobLoop {
 public:
  JobLoop(const JobFunction& measure, Stream& stream) : measure_(measure), stream_(stream) {}

  Status handle(const rpc::ToWorker& message) {
    switch (message.kind_case()) {
      case rpc::ToWorker::kRefusal:
        return Error(ErrorCode::kInvalidInput, "refused: " + message.refusal().reason());
      case rpc::ToWorker::kTask: {
        TT_TRY_ASSIGN(tasks_[message.task().hash()], from_message(message.task()));
        return ok_status();
      }
      case rpc::ToWorker::kJob:
        return work(message.job());
      case rpc::ToWorker::kWelcome:
      case rpc::ToWorker::KIND_NOT_SET:
        return ok_status();
    }
    return ok_status();
  }

 private:
  Status work(const rpc::Job& job) {
    rpc::FromWorker answer;
    answer.mutable_started()->set_ticket(job.ticket());
    stream_.Write(answer);  // a broken stream is the inbox's to notice
    const auto task = tasks_.find(job.task());
    if (task == tasks_.end())
      return Error(ErrorCode::kInvalidInput, "the tuner sent a job of an unknown task");
    MeasureResult result;
    const auto schedule = parse_schedule(job.schedule());
    if (schedule) {
      TT_TRY_ASSIGN(result,
                    measure_(task->second, job.task(), *schedule, from_message(job.limits())));
    } else {
      result.outcome = Outcome::kBuildFailed;
      result.detail = schedule.error().message();
    }
    *answer.mutable_finished() = to_message(result, job.ticket());
    stream_.Write(answer);
    return ok_status();
  }

  const JobFunction& measure_;
  Stream& stream_;
  std::map<uint64_t, TaskData> tasks_;
};

}  // namespace

Status serve_jobs(const WorkerOptions& options, const Device& device, const JobFunction& measure) {
  TT_TRY_ASSIGN(const Address address, parse_address(options.connect));
  const auto channel = dial(address);
  const auto deadline = std::chrono::system_clock::now() + milliseconds(options.connect_timeout_ms);
  if (!channel->WaitForConnected(deadline))
    return Error(ErrorCode::kFailed, "no tuner answers at " + address.text());
  const auto stub = rpc::Tuner::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->Work(&context);
  Status worked = ok_status();
  {
    stream->Write(hello(device, options.tool));
    Inbox inbox(*stream);
    JobLoop loop(measure, *stream);
    while (const auto message = inbox.next()) {
      worked = loop.handle(*message);
      if (!worked) break;
    }
    if (!worked) context.TryCancel();  // the inbox reads until the stream ends
  }
  if (!worked) return worked;
  stream->WritesDone();
  const grpc::Status ended = stream->Finish();
  if (!ended.ok()) return Error(ErrorCode::kFailed, "the tuner at " + address.text() + " is gone");
  return ok_status();
}

Status run_worker(const WorkerOptions& options, const LogSink& log) {
  TT_TRY(parse_address(options.connect));
  TT_TRY_ASSIGN(const Device device, device_of(options.device));
  TT_TRY_ASSIGN(Builder builder, Builder::start(device));  // before anything starts a thread
  TT_TRY_ASSIGN(const auto board, SimulatorBoard::create(device));
  Measurer measurer(builder, *board);
  log(LogLevel::kDebug, "worker for " + device.name + " dials " + options.connect);
  return serve_jobs(options, device,
                    [&](const TaskData& task, uint64_t task_hash, const Schedule& schedule,
                        const MeasureLimits& limits) {
                      return measurer.measure(task, task_hash, schedule, limits);
                    });
}

}  // namespace tinytune
