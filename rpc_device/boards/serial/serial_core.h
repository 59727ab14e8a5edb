// A core that executes the runner of rpc_device/boards/firmware/, behind a serial line.
//
// A kernel's inputs are generated on the board and its outputs digested there, so a trial transfers
// the kernel's code and a few dozen bytes. Commands are collected until an answer is needed:
// filling buffers, calling and digesting is one exchange. A request is executed once even if the
// line loses or changes bytes: it is repeated with its sequence number until its reply comes, and a
// runner that was reset reports that it has no session.
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
  uint32_t baud = 921'600;  ///< of the line; gives the time for bytes
  /// For a reply in addition to the time of its bytes, until reply times were measured.
  std::chrono::milliseconds reply_timeout{250};
  std::chrono::milliseconds call_timeout{120'000};  ///< of a kernel's call, whatever its limit
  std::chrono::milliseconds patience{30'000};       ///< of a request with all its repeats
  std::chrono::milliseconds hello_patience{8'000};  ///< of the first request of a session
  /// Loads a runner onto a board where none answers; empty: not possible.
  std::function<Status(ByteLink&)> load;
};

class SerialCore final : public RemoteCore {
 public:
  using OpenLink = std::function<Result<std::unique_ptr<ByteLink>>()>;

  /// kDeviceLost: no runner answers. kUnsupported: a runner with another protocol version.
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

  /// Returns the number of repeated requests.
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
    Bytes head;                     ///< arguments
    std::span<const uint8_t> body;  ///< data after the arguments
    size_t answer_bytes = 0;
    Milliseconds work{0};  ///< longest execution time, without the transfer
  };
  struct Asked {  // a queued call whose answer was not taken yet
    std::optional<uint64_t> cycle_limit;
    std::vector<AddressRange> digests;
  };
  Status begin_session(const std::string& name);
  /// Returns the runner's hello; if none answers, loads a runner if possible and returns its hello.
  Result<Bytes> hello();
  /// Appends a command to the collected ones, which are sent first if there is no room for it.
  Status add(const Command& command);
  Status add_digest(const AddressRange& range);
  /// Sends the collected commands and appends their answers to `answers_`.
  Status send_commands();
  /// Sends the collected commands; returns all answers since the last time, with the announced
  /// size.
  Result<Bytes> take_answers();
  void forget_commands();
  Status choose(uint32_t address, std::span<const uint8_t> bytes, uint8_t zero, uint8_t one);
  /// Sends a request and returns the reply's payload. `work`: longest execution time on the board.
  /// kInvalidInput: the runner refuses it.
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
  size_t answer_bytes_ = 0;  ///< size of the answers to `commands_`
  Milliseconds work_{0};     ///< longest execution time of `commands_`
  /// Reply times without the time for bytes. Requests with calls are separate, because a kernel's
  /// time says nothing about the line.
  serial::ReplyWait line_wait_, call_wait_;
  uint64_t repeated_ = 0;
};

}  // namespace tinytune
