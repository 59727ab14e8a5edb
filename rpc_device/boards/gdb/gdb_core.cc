#include "rpc_device/boards/gdb/gdb_core.h"

#include <array>
#include <optional>
#include <utility>

#include "base/little_endian.h"
#include "rpc_device/boards/gdb/core_driver.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

// Time limit if the caller sets none.
constexpr milliseconds kLongestCall{600'000};

constexpr int kStarts = 2;

gdb::Foothold foothold_in(const Device& device) {
  const MemoryRegion& code = device.memory(device.kernel_memory());
  return {code.address + code.size_bytes - gdb::Foothold::kBytes};
}

class GdbCore final : public RemoteCore {
 public:
  using OpenLink = std::function<Result<std::unique_ptr<ByteLink>>()>;

  static Result<std::unique_ptr<RemoteCore>> open(const Device& device, const BoardFacts& facts,
                                                  OpenLink open_link, const std::string& name,
                                                  gdb::ClientOptions options);

  const CoreTraits& traits() const override { return traits_; }
  Status write(uint32_t address, std::span<const uint8_t> bytes) override;
  Result<std::vector<uint8_t>> read(uint32_t address, uint32_t size_bytes) override;
  Status fill(uint32_t address, uint32_t size_bytes, const Contents& contents) override;
  Status copy(uint32_t from, uint32_t to, uint32_t size_bytes) override;
  Result<std::vector<Digest>> digests(std::span<const AddressRange> ranges) override;
  Result<CoreReturn> call(const CoreCall& call) override;
  Status reset() override;

 private:
  GdbCore(const Device& device, const BoardFacts& facts, OpenLink open_link,
          gdb::ClientOptions options);
  Status connect();
  /// Checks over the open link that this is the device, and prepares its core.
  Status take_hold();
  Status reset_core();
  Status write_setup();
  Status check_writable(uint32_t address, uint64_t size_bytes) const;
  Result<std::string> read_id(const std::string& name);
  /// Runs with the current registers; returns the pc at the stop, nullopt: still running at the
  /// limit.
  Result<std::optional<uint32_t>> run_until_stop(const CoreCall& call);
  Result<CoreReturn> finish(const CoreCall& call, uint32_t pc, const gdb::RegisterValues& before);

  const Device device_;
  const BoardFacts facts_;
  const OpenLink open_link_;
  const gdb::ClientOptions options_;
  const gdb::Foothold foothold_;
  const std::unique_ptr<gdb::CoreDriver> driver_;
  CoreTraits traits_;
  std::optional<gdb::Client> client_;
  std::string found_;                         ///< the core found, for people
  std::string reset_command_ = "reset halt";  ///< accepted by OpenOCD, pyOCD and J-Link
};

GdbCore::GdbCore(const Device& device, const BoardFacts& facts, OpenLink open_link,
                 gdb::ClientOptions options)
    : device_(device),
      facts_(facts),
      open_link_(std::move(open_link)),
      options_(options),
      foothold_(foothold_in(device_)),
      driver_(gdb::make_core_driver(device_, facts_)) {}

Result<std::unique_ptr<RemoteCore>> GdbCore::open(const Device& device, const BoardFacts& facts,
                                                  OpenLink open_link, const std::string& name,
                                                  gdb::ClientOptions options) {
  const MemoryRegion& code = device.memory(device.kernel_memory());
  if (!facts.may_write(device, code.address, code.size_bytes))
    return Error(ErrorCode::kInvalidInput,
                 "device " + device.name + " has candidates in memory '" + code.name +
                     "', which is no RAM by its file's [board], and flash is never written; name a "
                     "device whose fast_code is RAM");
  options.readable_address = device.memory(device.data_memory).address;
  std::unique_ptr<GdbCore> core(new GdbCore(device, facts, std::move(open_link), options));
  TT_TRY(core->connect());
  core->traits_.clock_hz = device.clock_hz;
  core->traits_.checks_registers = core->traits_.limits_time = true;
  TT_TRY_ASSIGN(core->traits_.id, core->read_id(name));
  return std::unique_ptr<RemoteCore>(std::move(core));
}

Status GdbCore::connect() {
  client_.reset();
  TT_TRY_ASSIGN(auto link, open_link_());
  TT_TRY_ASSIGN(gdb::Client client, gdb::Client::connect(std::move(link), options_));
  client_.emplace(std::move(client));
  found_ = gdb::kind_of(client_->registers());
  const Status held = take_hold();
  if (held || !traits_.id.empty()) return held;
  // A wrong chip may cause a timeout or an error, so both name the expected and the found core.
  const std::string core = driver_->expected().empty() ? device_.target.isa : driver_->expected();
  return Error(held.error().code(), held.error().message() + "; expected " + device_.name + " (" +
                                        core + "), found " + found_);
}

Status GdbCore::take_hold() {
  TT_TRY(driver_->check(client_->registers()));
  TT_TRY_ASSIGN(const std::string core, driver_->identify(*client_));
  if (!core.empty()) found_ = "a " + core;
  if (const std::string expected = driver_->expected();
      !core.empty() && !expected.empty() && core != expected)
    return Error(ErrorCode::kUnsupported, "this is another chip");
  for (const std::string& name : facts_.ram) {
    const MemoryRegion& memory = device_.memory(name);
    TT_TRY(check_writable(memory.address, memory.size_bytes));
  }
  return reset_core();
}

// QEMU's monitor has another command for it; its reply to this one is an English message.
Status GdbCore::reset_core() {
  const auto printed = client_->command(reset_command_);
  if (!printed && printed.error().code() == ErrorCode::kDeviceLost) return printed.error();
  if (printed && printed->find("unknown command") != std::string::npos) {
    reset_command_ = "system_reset";
    if (const auto again = client_->command(reset_command_);
        !again && again.error().code() == ErrorCode::kDeviceLost)
      return again.error();
  }
  TT_TRY(write_setup());
  return driver_->prepare(*client_, foothold_);
}

Status GdbCore::write_setup() {
  for (const SetupWrite& write : facts_.setup) {
    if (!write.is_csr) {
      TT_TRY(client_->write_memory(write.where, little_endian_bytes(std::array{write.value})));
    } else if (const auto csr = client_->registers().csr(write.where)) {
      TT_TRY(client_->write_register(*csr, write.value));
    }
  }
  return ok_status();
}

Result<std::string> GdbCore::read_id(const std::string& name) {
  if (!facts_.unique_id) return device_.name + "@" + name;
  TT_TRY_ASSIGN(const auto bytes,
                client_->read_memory(facts_.unique_id->address, facts_.unique_id->size_bytes));
  return device_.name + "-" + gdb::to_hex(bytes);
}

Status GdbCore::check_writable(uint32_t address, uint64_t size_bytes) const {
  const auto refused = [&](const char* by) {
    return Error(ErrorCode::kInvalidInput, std::to_string(size_bytes) + " bytes at address " +
                                               std::to_string(address) + " are no RAM by " + by);
  };
  if (!facts_.may_write(device_, address, size_bytes)) return refused("the device file's [board]");
  for (const gdb::MemoryArea& area : client_->memory_map())
    if (area.kind != gdb::MemoryArea::Kind::kRam && address < area.address + area.size_bytes &&
        area.address < uint64_t{address} + size_bytes)
      return refused("the GDB server's memory map");
  return ok_status();
}

Status GdbCore::write(uint32_t address, std::span<const uint8_t> bytes) {
  TT_TRY(check_writable(address, bytes.size()));
  if (address < foothold_.address + gdb::Foothold::kBytes &&
      foothold_.address < uint64_t{address} + bytes.size())
    return Error(ErrorCode::kInvalidInput, "the last " + std::to_string(gdb::Foothold::kBytes) +
                                               " bytes of code memory are the debugger's");
  return client_->write_memory(address, bytes);
}

Result<std::vector<uint8_t>> GdbCore::read(uint32_t address, uint32_t size_bytes) {
  return client_->read_memory(address, size_bytes);
}

Status GdbCore::fill(uint32_t address, uint32_t size_bytes, const Contents& contents) {
  return write(address, bytes_of(contents, size_bytes));
}

Status GdbCore::copy(uint32_t, uint32_t, uint32_t) {
  return Error(ErrorCode::kUnsupported, "a GDB server copies nothing on the board");
}

Result<std::vector<Digest>> GdbCore::digests(std::span<const AddressRange> ranges) {
  std::vector<Digest> digests;
  for (const AddressRange& range : ranges) {
    TT_TRY_ASSIGN(const auto bytes, client_->read_memory(range.address, range.size_bytes));
    digests.push_back(digest_of(bytes));
  }
  return digests;
}

// A core that did not stop in time may not have been started, if the link lost the packet. Its pc
// is then still at the function, and it is started again.
Result<std::optional<uint32_t>> GdbCore::run_until_stop(const CoreCall& call) {
  const milliseconds limit =
      call.limits.milliseconds ? milliseconds(*call.limits.milliseconds) : kLongestCall;
  TT_TRY_ASSIGN(const gdb::Register pc, gdb::need(client_->registers(), "pc"));
  const uint32_t entry = call.function & ~1u;
  for (int i = 0; i < kStarts; ++i) {
    TT_TRY(client_->resume());
    TT_TRY_ASSIGN(const auto stop, client_->wait_for_stop(limit));
    if (!stop) TT_TRY(client_->interrupt());
    TT_TRY_ASSIGN(const uint64_t at, client_->read_register(pc));
    const uint32_t address = static_cast<uint32_t>(at) & ~1u;
    const bool ours =
        address >= foothold_.address && address < foothold_.address + gdb::Foothold::kBytes;
    if (ours) return std::optional(address);
    if (!stop && address == entry) continue;
    if (!stop) return std::optional<uint32_t>();
    return Error(ErrorCode::kDeviceLost, "the core stopped where no breakpoint is");
  }
  return std::optional<uint32_t>();
}

Result<CoreReturn> GdbCore::finish(const CoreCall& call, uint32_t pc,
                                   const gdb::RegisterValues& before) {
  CoreReturn done;
  if (pc != foothold_.returns_to()) {
    done.end = RunEnd::kFault;
    TT_TRY_ASSIGN(done.detail, driver_->trap(*client_));
    TT_TRY(reset_core());  // leaves the trap handler
    return done;
  }
  const auto cycles = driver_->cycles(*client_);
  if (!cycles && cycles.error().code() == ErrorCode::kDeviceLost) return cycles.error();
  if (!cycles) {
    done.end = RunEnd::kCycleLimit;
    done.detail = cycles.error().message();
    return done;
  }
  done.cycles = *cycles;
  TT_TRY_ASSIGN(const auto after, client_->read_registers());
  for (const std::string_view name : driver_->saved_registers()) {
    const auto was = before.find(std::string(name)), is = after.find(std::string(name));
    if (was == before.end() || is == after.end() || was->second == is->second) continue;
    done.registers_restored = false;
    done.clobbered += (done.clobbered.empty() ? "" : ", ") + std::string(name);
  }
  TT_TRY_ASSIGN(done.digests, digests(call.digests));
  return done;
}

Result<CoreReturn> GdbCore::call(const CoreCall& call) {
  TT_TRY(driver_->begin(*client_, foothold_, call));
  TT_TRY_ASSIGN(const auto before, client_->read_registers());
  TT_TRY_ASSIGN(const auto pc, run_until_stop(call));
  if (pc) return finish(call, *pc, before);
  CoreReturn done;
  done.end = RunEnd::kTimeLimit;
  done.detail = "no return in " + std::to_string(call.limits.milliseconds.value_or(0)) + " ms";
  TT_TRY(reset_core());  // it was stopped at an arbitrary instruction
  return done;
}

Status GdbCore::reset() { return connect(); }

}  // namespace

Result<std::unique_ptr<RemoteCore>> open_gdb_core(
    const Device& device, const BoardFacts& facts,
    std::function<Result<std::unique_ptr<ByteLink>>()> open_link, const std::string& name,
    gdb::ClientOptions options) {
  return GdbCore::open(device, facts, std::move(open_link), name, options);
}

}  // namespace tinytune
