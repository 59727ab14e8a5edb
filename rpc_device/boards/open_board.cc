#include "rpc_device/boards/open_board.h"

#include <algorithm>
#include <array>

#include "devices/board_facts.h"
#include "rpc_device/boards/gdb/gdb_core.h"
#include "rpc_device/boards/links/byte_link.h"
#include "rpc_device/boards/power.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/serial/serial_core.h"
#include "rpc_device/boards/simulator_board.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kConnectPatience{5'000};

using OpenCore = Result<std::unique_ptr<RemoteCore>> (*)(const BoardAddress&, const Device&,
                                                         const BoardFacts&);

Result<std::unique_ptr<RemoteCore>> open_gdb(const BoardAddress& address, const Device& device,
                                             const BoardFacts& facts) {
  const std::string place = address.place;
  return open_gdb_core(
      device, facts, [=] { return open_tcp_link(place, kConnectPatience); }, "gdb:" + place);
}

Result<std::unique_ptr<RemoteCore>> open_serial(const BoardAddress& address, const Device& device,
                                                const BoardFacts& facts) {
  if (!facts.runner)
    return Error(ErrorCode::kUnsupported, "device " + device.name +
                                              " has no [board.runner] in its file, so no runner "
                                              "can be behind a serial line; use @gdb:HOST:PORT");
  SerialOptions options;
  options.baud = facts.runner->baud;
  const std::string path = address.place;
  TT_TRY_ASSIGN(auto core,
                SerialCore::open(
                    device, [path, baud = options.baud] { return open_serial_link(path, baud); },
                    "serial:" + path, options));
  return std::unique_ptr<RemoteCore>(std::move(core));
}

struct Transport {
  std::string_view name;
  std::string_view place;  ///< what follows the colon, for people
  OpenCore open;
};

constexpr std::array kTransports = {
    Transport{"gdb", "HOST:PORT", open_gdb},
    Transport{"serial", "/dev/TTY", open_serial},
};

const Transport* find_transport(std::string_view name) {
  const auto at = std::find_if(kTransports.begin(), kTransports.end(),
                               [&](const Transport& t) { return t.name == name; });
  return at == kTransports.end() ? nullptr : &*at;
}

std::string all_transports() {
  std::string all;
  for (const Transport& one : kTransports)
    all += (all.empty() ? "@" : ", @") + std::string(one.name) + ":" + std::string(one.place);
  return all;
}

}  // namespace

Result<BoardAddress> parse_board_address(std::string_view text) {
  BoardAddress address;
  const size_t at = text.rfind('@');
  address.device = std::string(text.substr(0, at));
  if (at == std::string_view::npos) return address;
  const std::string_view rest = text.substr(at + 1);
  const size_t colon = rest.find(':');
  address.transport = std::string(rest.substr(0, colon));
  if (find_transport(address.transport) == nullptr)
    return Error(
        ErrorCode::kUnsupported,
        "device '" + std::string(text) + "': no such transport; there are " + all_transports());
  if (colon == std::string_view::npos || colon + 1 == rest.size())
    return Error(ErrorCode::kInvalidInput,
                 "device '" + std::string(text) + "' must be DEVICE@" + address.transport + ":" +
                     std::string(find_transport(address.transport)->place));
  address.place = std::string(rest.substr(colon + 1));
  return address;
}

Result<Device> load_addressed_device(std::string_view text) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(text));
  return load_device(address.device);
}

Result<std::unique_ptr<RemoteCore>> open_core(const BoardAddress& address, const Device& device) {
  const Transport* transport = find_transport(address.transport);
  if (transport == nullptr)
    return Error(ErrorCode::kInvalidInput,
                 "'" + address.device + "' names no board: add " + all_transports());
  TT_TRY_ASSIGN(const BoardFacts facts, load_board_facts(address.device));
  return transport->open(address, device, facts);
}

Result<std::unique_ptr<Board>> open_board(const BoardAddress& address, const Device& device,
                                          const std::string& power_switch) {
  if (address.is_simulator()) {
    TT_TRY_ASSIGN(auto simulator, SimulatorBoard::create(device));
    return std::unique_ptr<Board>(std::move(simulator));
  }
  auto core = open_core(address, device);
  const bool is_gone = !core && (core.error().code() == ErrorCode::kDeviceLost ||
                                 core.error().code() == ErrorCode::kNotFound);
  if (is_gone && !power_switch.empty()) {
    TT_TRY(switch_off_and_on(power_switch));
    core = once_awake([&] { return open_core(address, device); });
  }
  if (!core) return core.error();
  return std::unique_ptr<Board>(
      std::make_unique<RemoteBoard>(device, std::move(*core), power_switch));
}

}  // namespace tinytune
