#include "rpc_device/fleet/tuner_link.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/printable.h"
#include "rpc_device/fleet/channel.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.grpc.pb.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenHeartbeats{1'000};
// How long a job may continue after its tuner has died.
constexpr milliseconds kGrace{2'000};
constexpr int kTunerGone = 1;
constexpr size_t kReadAhead = 16;  // messages

}  // namespace

struct TunerLink::State {
  State(const Address& address, std::shared_ptr<grpc::Channel> channel)
      : address(address), channel(std::move(channel)) {}
  ~State() {
    {
      const std::lock_guard lock(mutex);
      left = true;
      changed.notify_all();
    }
    if (!reader.joinable()) return;
    context.TryCancel();  // no effect on a stream that has ended
    heart.join();
    reader.join();
  }

  void start() {
    reader = std::thread([this] { read(); });
    heart = std::thread([this] { beat(); });
  }

  void read() {
    rpc::ToWorker message;
    while (stream->Read(&message)) {
      std::unique_lock lock(mutex);
      if (wrong = check_message(message); !wrong) break;
      changed.wait(lock, [this] { return left || messages.size() < kReadAhead; });
      if (left) break;
      messages.push_back(std::move(message));
      changed.notify_all();
    }
    std::unique_lock lock(mutex);
    if (!wrong) context.TryCancel();
    ended = true;
    std::erase_if(messages, [](const rpc::ToWorker& unread) { return unread.has_job(); });
    changed.notify_all();
    if (!changed.wait_for(lock, kGrace, [this] { return left; })) ::_exit(kTunerGone);
  }

  void beat() {
    rpc::FromWorker message;
    message.mutable_heartbeat();
    std::unique_lock lock(mutex);
    do {
      lock.unlock();
      send(message);
      lock.lock();
    } while (!changed.wait_for(lock, kBetweenHeartbeats, [this] { return left || ended; }));
  }

  void send(const rpc::FromWorker& message) {
    const std::lock_guard lock(sending);  // one writer at a time
    stream->Write(message);
  }

  const Address address;
  const std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<rpc::Tuner::Stub> stub;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<rpc::FromWorker, rpc::ToWorker>> stream;

  std::mutex sending, mutex;
  std::condition_variable changed;
  std::deque<rpc::ToWorker> messages;
  bool ended = false, left = false;
  Status wrong = ok_status();  ///< error of an invalid message from the tuner
  std::thread reader, heart;
};

TunerLink::TunerLink(std::unique_ptr<State> state) : state_(std::move(state)) {}
TunerLink::~TunerLink() = default;

Result<std::unique_ptr<TunerLink>> TunerLink::dial(const Address& address,
                                                   const std::optional<LinkKeys>& keys,
                                                   int timeout_ms) {
  TT_TRY_ASSIGN(auto channel, open_channel(address, keys, timeout_ms));
  auto state = std::make_unique<State>(address, std::move(channel));
  state->stub = rpc::Tuner::NewStub(state->channel);
  state->stream = state->stub->Work(&state->context);
  return std::unique_ptr<TunerLink>(new TunerLink(std::move(state)));
}

Result<rpc::ToWorker> TunerLink::introduce(const rpc::FromWorker& hello, int timeout_ms) {
  State& s = *state_;
  s.send(hello);
  s.start();
  {
    std::unique_lock lock(s.mutex);
    const bool answered = s.changed.wait_for(lock, milliseconds(timeout_ms),
                                             [&] { return s.ended || !s.messages.empty(); });
    if (!answered) return Error(ErrorCode::kFailed, "no tuner answers at " + s.address.text());
  }
  if (const auto answer = next()) {
    if (answer->has_welcome() || answer->has_refusal()) return *answer;
    hang_up();
    return Error(ErrorCode::kInvalidInput, "the tuner at " + s.address.text() + " does not greet");
  }
  TT_TRY(end());
  return Error(ErrorCode::kFailed, "the tuner at " + s.address.text() + " is gone");
}

std::optional<rpc::ToWorker> TunerLink::next() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.changed.wait(lock, [&] { return s.ended || !s.messages.empty(); });
  std::optional<rpc::ToWorker> message;
  if (s.messages.empty()) {
    s.left = true;
  } else {
    message = std::move(s.messages.front());
    s.messages.pop_front();
  }
  s.changed.notify_all();
  return message;
}

void TunerLink::send(const rpc::FromWorker& message) { state_->send(message); }

void TunerLink::hang_up() {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  s.left = true;
  s.context.TryCancel();
  s.changed.notify_all();
}

Status TunerLink::end() {
  State& s = *state_;
  s.heart.join();
  s.reader.join();
  if (!s.wrong)
    return Error(ErrorCode::kInvalidInput,
                 "the tuner at " + s.address.text() + " sent " + s.wrong.error().message());
  s.stream->WritesDone();
  const grpc::Status ended = s.stream->Finish();
  if (ended.ok()) return ok_status();
  const std::string said = printable(ended.error_message(), most::kLineBytes);
  if (ended.error_code() == grpc::StatusCode::UNAUTHENTICATED)
    return Error(ErrorCode::kInvalidInput, "refused: " + said);
  const bool told = ended.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                    ended.error_code() == grpc::StatusCode::CANCELLED;
  return Error(ErrorCode::kFailed, "the tuner at " + s.address.text() +
                                       (told && !said.empty() ? " hung up: " + said : " is gone"));
}

}  // namespace tinytune
