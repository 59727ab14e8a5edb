// A client of the GDB remote serial protocol: what a debugger server is asked, one request at a
// time.
//
// Servers differ in everything that is optional, so each optional thing is used if the server says
// or shows that it has it: no-ack mode, vCont, binary writes, a target description, a memory map.
//
// Replies carry no number, so after a reply that did not come in time a late one could be taken for
// the next. The client therefore asks for memory of a length that nothing else asks for and throws
// away what comes before that answer; servers answer in order. Only then is the request repeated.
// Starting the core is the one request that must not be done twice, and is never repeated here.
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
  /// Keep acknowledging packets although the server offers not to: where the link loses bytes.
  bool keep_acks = false;
  uint32_t readable_address = 0;  ///< some RAM that can be read without harm
};

/// Why the core stands.
struct Stop {
  int signal = 0;  ///< as GDB numbers them: 5 at a breakpoint, 2 after an interrupt
};

/// Not thread-safe. Any call may fail with kDeviceLost: the link is gone, or the server does not
/// answer. kFailed: it answered with an error, which names the request.
class Client {
 public:
  /// Greets the server and reads what it says of its target. The core stands afterwards.
  static Result<Client> connect(std::unique_ptr<ByteLink> link, const ClientOptions& options);

  Status write_memory(uint32_t address, std::span<const uint8_t> bytes);
  Result<std::vector<uint8_t>> read_memory(uint32_t address, size_t size_bytes);

  const RegisterSet& registers() const { return registers_; }
  /// Empty: the server has none.
  const std::vector<MemoryArea>& memory_map() const { return memory_map_; }
  Result<uint64_t> read_register(const Register& of);
  Status write_register(const Register& of, uint64_t value);
  /// As many as one `g` reply has, by name.
  Result<std::map<std::string, uint64_t>> read_registers();

  /// In hardware where the server can, else by changing the code. Once, however often it is set.
  Status set_breakpoint(uint32_t address);

  /// Lets the core go on from its pc. kFailed: it may not have started.
  Status resume();
  /// Nothing: it still runs after `timeout`.
  Result<std::optional<Stop>> wait_for_stop(std::chrono::milliseconds timeout);
  /// Stops a core that runs; one that stands already stays as it is.
  Status interrupt();

  /// A command of the server's own (`monitor`), and what it printed. kUnsupported: it takes none.
  Result<std::string> command(std::string_view text);

 private:
  Client(std::unique_ptr<ByteLink> link, const ClientOptions& options)
      : link_(std::move(link)), options_(options) {}
  Status greet();
  Status resynchronise();
  Status send(std::string_view payload);
  /// Nothing: no reply in time.
  Result<std::optional<std::string>> receive(std::string_view again,
                                             std::chrono::milliseconds timeout);
  Result<std::string> request(std::string_view payload);
  Status expect_ok(std::string_view payload);
  Result<std::string> read_object(const std::string& object, const std::string& annex);
  Status read_memory_map();
  /// Of a `g` reply: where the register's digits are. Nothing: it does not reach so far.
  std::optional<size_t> digits_before(const Register& of) const;

  std::unique_ptr<ByteLink> link_;
  ClientOptions options_;
  PacketReader reader_;
  bool acks_ = true;
  size_t packet_bytes_ = 400;  ///< of a server that does not say
  std::optional<bool> binary_writes_;
  bool vcont_ = false;
  uint32_t resyncs_ = 0;
  bool has_answered_ = false;             ///< a server that never has is not waited for long
  std::map<uint32_t, char> breakpoints_;  ///< by address: '1' in hardware, '0' in memory
  std::string console_;                   ///< what O packets said since the last command
  RegisterSet registers_;
  std::vector<MemoryArea> memory_map_;
};

}  // namespace tinytune::gdb
