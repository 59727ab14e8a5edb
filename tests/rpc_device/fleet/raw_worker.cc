#include "tests/rpc_device/fleet/raw_worker.h"

#include <grpcpp/grpcpp.h>

#include "rpc_device/fleet/build_id.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.grpc.pb.h"

namespace tinytune {

rpc::Hello hello_of(const Device& device) {
  rpc::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.set_build(build_id());
  hello.set_device(device.name);
  hello.set_device_hash(device.hash);
  hello.set_process(1);
  hello.set_host("elsewhere");
  hello.set_builds(true);
  hello.set_runs_on("simulator");
  return hello;
}

struct RawWorker::State {
  std::unique_ptr<rpc::Tuner::Stub> stub;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<rpc::FromWorker, rpc::ToWorker>> stream;
  bool ended = false;
};

RawWorker::RawWorker(const std::string& address) : state_(std::make_unique<State>()) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  state_->stub = rpc::Tuner::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  state_->stream = state_->stub->Work(&state_->context);
}

RawWorker::~RawWorker() {
  state_->context.TryCancel();
  if (!state_->ended) end();
}

bool RawWorker::say(const rpc::FromWorker& message) { return state_->stream->Write(message); }

bool RawWorker::say(const rpc::Hello& hello) {
  rpc::FromWorker message;
  *message.mutable_hello() = hello;
  return say(message);
}

bool RawWorker::say_alive() {
  rpc::FromWorker message;
  message.mutable_heartbeat();
  return say(message);
}

void RawWorker::start(const rpc::Job& job) {
  rpc::FromWorker message;
  message.mutable_started()->set_ticket(job.ticket());
  say(message);
}

std::optional<rpc::Job> RawWorker::take_job(const Device& device) {
  say(hello_of(device));
  say_alive();
  while (const auto message = hear())
    if (message->has_job()) return message->job();
  return std::nullopt;
}

std::optional<rpc::ToWorker> RawWorker::hear() {
  rpc::ToWorker message;
  return state_->stream->Read(&message) ? std::optional(message) : std::nullopt;
}

grpc::Status RawWorker::end() {
  while (hear()) {
  }
  state_->ended = true;
  return state_->stream->Finish();
}

}  // namespace tinytune
