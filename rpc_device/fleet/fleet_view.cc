#include "rpc_device/fleet/fleet_view.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <optional>

#include "base/printable.h"
#include "rpc_device/fleet/channel.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.grpc.pb.h"

namespace tinytune {

double WorkerView::rate() const {
  constexpr double kMinute = 60'000;
  const double connected_ms = busy_ms + idle_ms;
  return connected_ms > 0 ? kMinute * static_cast<double>(jobs) / connected_ms : 0;
}

struct FleetWindow::State {
  Address address;
  std::optional<LinkKeys> keys;
  std::shared_ptr<grpc::Channel> channel;  // null: not dialled yet, or broken
};

FleetWindow::FleetWindow(std::unique_ptr<State> state) : state_(std::move(state)) {}
FleetWindow::~FleetWindow() = default;

Result<std::unique_ptr<FleetWindow>> FleetWindow::open(const std::string& connect,
                                                       const std::string& keys) {
  auto state = std::make_unique<State>();
  TT_TRY_ASSIGN(state->address, parse_address(connect));
  if (!keys.empty()) {
    TT_TRY_ASSIGN(state->keys, read_keys(keys));
  }
  return std::unique_ptr<FleetWindow>(new FleetWindow(std::move(state)));
}

Result<FleetView> FleetWindow::look(int timeout_ms) {
  State& s = *state_;
  if (s.channel == nullptr) {
    TT_TRY_ASSIGN(s.channel, open_channel(s.address, s.keys, timeout_ms));
  }
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms));
  rpc::Fleet fleet;
  const grpc::Status looked =
      rpc::Tuner::NewStub(s.channel)->Look(&context, rpc::LookRequest(), &fleet);
  if (looked.ok()) return from_message(fleet);
  s.channel.reset();
  const std::string said = printable(looked.error_message(), most::kLineBytes);
  switch (looked.error_code()) {
    case grpc::StatusCode::UNAUTHENTICATED:
      return Error(ErrorCode::kInvalidInput, "refused: " + said);
    case grpc::StatusCode::UNIMPLEMENTED:
      return Error(ErrorCode::kUnsupported,
                   "the tuner at " + s.address.text() + " is of a version that shows no fleet");
    default:
      return Error(ErrorCode::kFailed, "the tuner at " + s.address.text() + " is gone");
  }
}

}  // namespace tinytune
