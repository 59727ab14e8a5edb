// A client of the GDB remote serial protocol, with one request at a time.
//
// Servers differ in all optional features, so each is used only if the server announces or shows
// it: no-ack mode, vCont, binary writes, a target description, a memory map.
//
// Replies have no numbers, so after a timeout a late reply could be taken for the next one. The
// client therefore reads memory with a length that no other request has and discards everything
// before that answer; servers answer in order. Only then is the request repeated. Starting the core
// is the only request that must not be done twice, and is never repeated here.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_device/boards/gdb/description.h"
#include "rpc_device/boards/gdb/packet.h"
#include "rpc_device/boards/links/byte_link.h"
#include "tinytune/result.h"

namespace tinytune::gdb {

struct ClientOptions {
  std::chrono::milliseconds reply_timeout{5'000};  ///< a first breakpoint may take seconds
  /// Keep acknowledgements even if the server offers to omit them, for links that lose bytes.
  bool keep_acks = false;
  uint32_t readable_address = 0;  ///< RAM that can be read without side effects
};

/// Reason for which the core stopped.
struct Stop {
  int signal = 0;  ///< as GDB numbers them: 5 at a breakpoint, 2 after an interrupt
};

/// Not thread-safe. Any call may fail with kDeviceLost: the link is gone, or the server does not
/// answer. kFailed: it answered with an error; the message names the request.
class Client {
 public:
  /// Greets the server and reads its target description. The core is stopped afterwards.
  static Result<Client> connect(std::unique_ptr<ByteLink> link, const ClientOptions& options);

  Status write_memory(uint32_t address, std::span<const uint8_t> bytes);
  Result<std::vector<uint8_t>> read_memory(uint32_t address, size_t size_bytes);

  const RegisterSet& registers() const { return registers_; }
  /// Empty: the server has none.
  const std::vector<MemoryArea>& memory_map() const { return memory_map_; }
  Result<uint64_t> read_register(const Register& of);
  Status write_register(const Register& of, uint64_t value);
  /// Reads the registers that one `g` reply contains, by name.
  Result<std::map<std::string, uint64_t>> read_registers();

  /// Sets a breakpoint, in hardware if the server can, else in the code. Setting it again does not
  /// add another.
  Status set_breakpoint(uint32_t address);

  /// Continues at the pc. kFailed: the core may not have started.
  Status resume();
  /// Returns the stop; nullopt: the core still runs after `timeout`.
  Result<std::optional<Stop>> wait_for_stop(std::chrono::milliseconds timeout);
  /// Stops a running core; no effect on a stopped one.
  Status interrupt();

  /// Executes a server-specific command (`monitor`) and returns its output. kUnsupported: the
  /// server has none.
  Result<std::string> command(std::string_view text);

 private:
  Client(std::unique_ptr<ByteLink> link, const ClientOptions& options)
      : link_(std::move(link)), options_(options) {}
  Status greet();
  Status resynchronise();
  Status send(std::string_view payload);
  /// Returns a reply; nullopt: none in time. `again`: request to resend if it arrived damaged.
  Result<std::optional<std::string>> receive(std::string_view again,
                                             std::chrono::milliseconds timeout);
  Result<std::string> request(std::string_view payload);
  Status expect_ok(std::string_view payload);
  Result<std::string> read_object(const std::string& object, const std::string& annex);
  Status read_memory_map();
  /// Returns the offset of the register's digits in a `g` reply; nullopt: they are not in it.
  std::optional<size_t> digits_before(const Register& of) const;

  std::unique_ptr<ByteLink> link_;
  ClientOptions options_;
  PacketReader reader_;
  bool acks_ = true;
  size_t packet_bytes_ = 400;  ///< default, for a server that does not announce its limit
  std::optional<bool> binary_writes_;
  bool vcont_ = false;
  uint32_t resyncs_ = 0;
  bool has_answered_ = false;             ///< if not, the wait for a reply is short
  std::map<uint32_t, char> breakpoints_;  ///< by address: '1' in hardware, '0' in memory
  std::string console_;                   ///< output in O packets since the last command
  RegisterSet registers_;
  std::vector<MemoryArea> memory_map_;
};

}  // namespace tinytune::gdb
