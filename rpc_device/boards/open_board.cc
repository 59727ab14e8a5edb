#include "rpc_device/boards/open_board.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "devices/board_facts.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/gdb/gdb_core.h"
#include "rpc_device/boards/links/byte_link.h"
#include "rpc_device/boards/links/process_link.h"
#include "rpc_device/boards/power.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/rom/esp_rom.h"
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

// Builds the runner only when a board lacks it.
Status load_runner(ByteLink& link, const Device& device, const BoardFacts& facts) {
  TT_TRY_ASSIGN(const auto elf, build_firmware(device, facts));
  TT_TRY_ASSIGN(const LoadableFirmware runner, loadable(elf, device));
  return load_by_esp_rom(link, runner.segments, runner.entry, facts.runner->baud);
}

Result<std::unique_ptr<RemoteCore>> open_serial(const BoardAddress& address, const Device& device,
                                                const BoardFacts& facts) {
  if (!facts.runner)
    return Error(ErrorCode::kUnsupported, "device " + device.name +
                                              " has no [board.runner] in its file, so no runner "
                                              "can be behind a serial line; use @gdb:HOST:PORT");
  SerialOptions options;
  options.baud = facts.runner->baud;
  const std::string& loader = facts.runner->loader;
  if (loader == "esp_rom")
    options.load = [device, facts](ByteLink& link) { return load_runner(link, device, facts); };
  else if (!loader.empty() && loader != "uf2")  // a UF2 file is copied by hand
    return Error(ErrorCode::kUnsupported, "device " + device.name + ": there is no loader '" +
                                              loader + "'; there are esp_rom and uf2");
  const std::string path = address.place;
  TT_TRY_ASSIGN(auto core,
                SerialCore::open(
                    device, [path, baud = options.baud] { return open_serial_link(path, baud); },
                    "serial:" + path, options));
  return std::unique_ptr<RemoteCore>(std::move(core));
}

/// Builds the runner for the device and opens a board that is a program on this machine. The
/// runner's file is kept as long as a link may have to be reopened.
Result<std::unique_ptr<RemoteCore>> open_process(
    const Device& device, const BoardFacts& facts,
    const std::function<std::vector<std::string>(const std::string& runner)>& command) {
  TT_TRY_ASSIGN(const auto runner, build_firmware(device, facts));
  TT_TRY_ASSIGN(auto directory, TemporaryDirectory::create("runner"));
  const auto home = std::make_shared<TemporaryDirectory>(std::move(directory));
  const std::string program = home->file("runner.elf");
  TT_TRY(write_file(program, text_of(runner)));
  std::error_code refused;
  std::filesystem::permissions(program, std::filesystem::perms::owner_all, refused);
  if (refused) return Error(ErrorCode::kFailed, program + ": " + refused.message());
  SerialOptions options;
  options.baud = facts.runner->baud;
  const std::vector<std::string> words = command(program);
  if (words.front() == program && ::access(program.c_str(), X_OK) != 0)
    return Error(ErrorCode::kFailed,
                 "no program can be started from " + temporary_folder() + " (" +
                     std::strerror(errno) +
                     "; mounted noexec?): set TMPDIR to a folder where programs may run");
  TT_TRY_ASSIGN(auto core,
                SerialCore::open(
                    device, [words, home] { return start_process_link(words, words.front()); },
                    std::string(device.transports.front()), options));
  return std::unique_ptr<RemoteCore>(std::move(core));
}

Result<std::unique_ptr<RemoteCore>> open_native(const BoardAddress&, const Device& device,
                                                const BoardFacts& facts) {
  return open_process(device, facts,
                      [](const std::string& runner) { return std::vector<std::string>{runner}; });
}

Result<std::unique_ptr<RemoteCore>> open_qemu(const BoardAddress&, const Device& device,
                                              const BoardFacts& facts) {
  if (!facts.qemu)
    return Error(ErrorCode::kUnsupported,
                 "device " + device.name + " has no [board.qemu] in its file");
  const QemuMachine& qemu = *facts.qemu;
  return open_process(device, facts, [&](const std::string& runner) {
    return std::vector<std::string>{"qemu-system-" + qemu.system,
                                    "-M",
                                    qemu.machine,
                                    "-cpu",
                                    qemu.cpu,
                                    "-display",
                                    "none",
                                    "-serial",
                                    "none",
                                    "-monitor",
                                    "none",
                                    "-semihosting",
                                    "-icount",
                                    "shift=" + std::to_string(qemu.icount_shift),
                                    "-kernel",
                                    runner};
  });
}

struct Transport {
  std::string_view name;
  std::string_view place;  ///< format of PLACE, for people; empty: needs none
  OpenCore open;
  std::string_view where_lost;  ///< advice if it does not answer
};

constexpr std::array kTransports = {
    Transport{"gdb", "HOST:PORT", open_gdb,
              "start the board's GDB server there (OpenOCD, QEMU), or name another place"},
    Transport{"serial", "/dev/TTY", open_serial,
              "plug in the board with its runner (tune firmware), or name another port (tune "
              "devices --scan)"},
    Transport{"native", "", open_native, ""},
    Transport{"qemu", "", open_qemu, ""},
};

const Transport* find_transport(std::string_view name) {
  const auto at = std::find_if(kTransports.begin(), kTransports.end(),
                               [&](const Transport& t) { return t.name == name; });
  return at == kTransports.end() ? nullptr : &*at;
}

std::string all_transports() {
  std::string all;
  for (const Transport& one : kTransports)
    if (!one.place.empty())
      all += (all.empty() ? "@" : ", @") + std::string(one.name) + ":" + std::string(one.place);
  return all;
}

// Returns the transport of a device that has no simulator and needs no place; empty for others.
std::string own_transport(const Device& device) {
  for (const std::string& name : device.transports) {
    if (name == "simulator") return "";
    const Transport* transport = find_transport(name);
    if (transport != nullptr && transport->place.empty()) return name;
  }
  return "";
}

}  // namespace

std::string device_part(const std::string& address) {
  return address.substr(0, address.rfind('@'));
}

std::string canonical_board_address(const std::string& text) {
  std::string name = device_part(text);
  const std::string place = text.substr(name.size());
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::count(known_devices(), name) > 0 ? name + place : text;
}

Result<BoardAddress> parse_board_address(std::string_view text) {
  BoardAddress address;
  const size_t at = text.rfind('@');
  address.device = std::string(text.substr(0, at));
  if (at == std::string_view::npos) {
    // Errors in the device are reported when it is loaded for use.
    const auto device = load_device(address.device);
    if (device) address.transport = own_transport(*device);
    return address;
  }
  const std::string_view rest = text.substr(at + 1);
  const size_t colon = rest.find(':');
  address.transport = std::string(rest.substr(0, colon));
  const Transport* transport = find_transport(address.transport);
  if (transport == nullptr || transport->place.empty())
    return Error(
        ErrorCode::kUnsupported,
        "device '" + std::string(text) + "': no such transport; there are " + all_transports());
  if (colon == std::string_view::npos || colon + 1 == rest.size())
    return Error(ErrorCode::kInvalidInput, "device '" + std::string(text) + "' must be DEVICE@" +
                                               address.transport + ":" +
                                               std::string(transport->place));
  address.place = std::string(rest.substr(colon + 1));
  return address;
}

Result<std::unique_ptr<RemoteCore>> open_core(const BoardAddress& address, const Device& device) {
  const Transport* transport = find_transport(address.transport);
  if (transport == nullptr)
    return Error(ErrorCode::kInvalidInput,
                 "'" + address.device + "' names no board: add " + all_transports());
  TT_TRY_ASSIGN(const BoardFacts facts, load_board_facts(address.device));
  auto core = transport->open(address, device, facts);
  if (core || core.error().code() != ErrorCode::kDeviceLost || transport->where_lost.empty())
    return core;
  return Error(core.error().code(),
               core.error().message() + "; " + std::string(transport->where_lost));
}

Result<std::unique_ptr<Board>> open_board(const BoardAddress& address, const Device& device,
                                          const std::string& power_switch) {
  if (address.is_simulator()) {
    TT_TRY_ASSIGN(auto simulator, SimulatorBoard::create(device));
    return std::unique_ptr<Board>(std::move(simulator));
  }
  auto core = open_core(address, device);
  const bool is_gone = !core && core.error().code() == ErrorCode::kDeviceLost;
  if (is_gone && !power_switch.empty()) {
    TT_TRY(switch_off_and_on(power_switch));
    core = once_awake([&] { return open_core(address, device); });
  }
  if (!core) return core.error();
  return std::unique_ptr<Board>(
      std::make_unique<RemoteBoard>(device, std::move(*core), power_switch));
}

}  // namespace tinytune
