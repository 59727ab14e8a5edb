// A core with the runner of rpc_device/boards/firmware/ on it, behind a serial line.
//
// A kernel's inputs are made on the board and its outputs digested there, so a trial is a kernel's
// code and a few dozen bytes. Commands are gathered until one has an answer that somebody waits
// for: filling buffers, calling and digesting is one exchange. Whatever the line does to bytes, a
// request is done once: it is repeated under its number until its reply comes, and a runner that
// was reset says that it knows of nothing.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/links/byte_link.h"
#include "rpc_device/boards/remote_core.h"
#include "rpc_device/boards/serial/frame.h"
#include "rpc_device/boards/serial/reply_wait.h"

namespace tinytune {

struct SerialOptions {
  uint32_t baud = 921'600;  ///< of the line: how long bytes take
  /// For a reply beyond what its bytes take, until the line has shown how long it takes.
  std::chrono::milliseconds reply_timeout{250};
  std::chrono::milliseconds call_timeout{120'000};  ///< of a kernel, whatever its limit
  std::chrono::milliseconds patience{30'000};       ///< of a request, however often repeated
  std::chrono::milliseconds hello_patience{8'000};  ///< of the first one of a session
  /// Puts a runner on a board where none answers; empty: nobody can.
  std::function<Status(ByteLink&)> load;
};

class SerialCore final : public RemoteCore {
 public:
  using OpenLink = std::function<Result<std::unique_ptr<ByteLink>>()>;

  /// kDeviceLost: no runner answers. kUnsupported: one of another protocol.
  static Result<std::unique_ptr<SerialCore>> open(const Device& device, OpenLink open_link,
                                                  const std::string& name,
                                                  const SerialOptions& options = {});

  const CoreTraits& traits() const override { return traits_; }
  Status write(uint32_t address, std::span<const uint8_t> bytes) override;
  Result<std::vector<uint8_t>> read(uint32_t address, uint32_t size_bytes) override;
  Status fill(uint32_t address, uint32_t size_bytes, const Contents& contents) override;
  Status copy(uint32_t from, uint32_t to, uint32_t size_bytes) override;
  Result<std::vector<Digest>> digests(std::span<const AddressRange> ranges) override;
  Result<CoreReturn> call(const CoreCall& call) override;
  Status ask(const CoreCall& call) override;
  Result<CoreReturn> answer() override;
  Status reset() override;

  /// Requests that were sent again.
  uint64_t repeated() const { return repeated_; }

 private:
  using Bytes = std::vector<uint8_t>;
  SerialCore(const Device& device, OpenLink open_link, const SerialOptions& options)
      : device_(device),
        open_link_(std::move(open_link)),
        options_(options),
        line_wait_(options.reply_timeout),
        call_wait_(options.reply_timeout) {}
  using Milliseconds = std::chrono::milliseconds;
  struct Command {
    uint8_t which = 0;
    Bytes head;                     ///< its arguments
    std::span<const uint8_t> body;  ///< more of them
    size_t answer_bytes = 0;
    Milliseconds work{0};  ///< how long it may take, beyond its bytes
  };
  struct Asked {  // a call whose answer was not taken yet
    std::optional<uint64_t> cycle_limit;
    std::vector<AddressRange> digests;
  };
  Status begin_session(const std::string& name);
  /// The runner's hello; if none answers and one can be loaded, that one's.
  Result<Bytes> hello();
  /// Behind those that wait, which are sent if there is no room for it.
  Status add(const Command& command);
  Status add_digest(const AddressRange& range);
  /// Sends what waits. What it answers is put behind `answers_`.
  Status send_commands();
  /// Sends what waits; all answers since the last time, as many bytes as were announced.
  Result<Bytes> take_answers();
  void forget_commands();
  Status choose(uint32_t address, std::span<const uint8_t> bytes, uint8_t zero, uint8_t one);
  /// The reply's payload. `work`: how long the runner may be busy with it. kInvalidInput: it
  /// refuses.
  Result<Bytes> request(uint8_t kind, const Bytes& payload, size_t reply_bytes, Milliseconds work,
                        Milliseconds patience);
  Result<std::optional<serial::Frame>> receive(Milliseconds timeout);

  const Device device_;
  const OpenLink open_link_;
  const SerialOptions options_;
  CoreTraits traits_;
  std::unique_ptr<ByteLink> link_;
  serial::FrameReader reader_;
  uint16_t session_ = 0, sequence_ = 0;
  size_t most_payload_ = 256;
  Bytes commands_, answers_;  ///< not sent yet; not taken yet
  std::deque<Asked> asked_;
  size_t answer_bytes_ = 0;  ///< that `commands_` will answer
  Milliseconds work_{0};     ///< that `commands_` may take
  /// Beyond what bytes take. A kernel's time is not the line's: where one is called is apart.
  serial::ReplyWait line_wait_, call_wait_;
  uint64_t repeated_ = 0;
};

}  // namespace tinytune
