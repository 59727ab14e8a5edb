// A core behind a GDB server: OpenOCD, pyOCD, probe-rs, J-Link, Black Magic Probe, Renode, QEMU.
//
// No program runs on the board: the client writes RAM, sets registers, and breakpoints at the
// return address and the trap vector end a call. So it needs a probe and nothing else, and bytes
// cross the link that a runner on the board would make itself.
//
// What may be written is what the device file calls RAM and the server's memory map does not call
// flash or ROM. A flash is never written.
#pragma once

#include <functional>
#include <memory>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/gdb/client.h"
#include "rpc_device/boards/gdb/core_driver.h"
#include "rpc_device/boards/links/byte_link.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune {

class GdbCore final : public RemoteCore {
 public:
  using OpenLink = std::function<Result<std::unique_ptr<ByteLink>>()>;

  /// `name` tells this link from others; it is the board's id where the device file knows none.
  /// kUnsupported: the server lacks what calls need. kInvalidInput: kernels of this device would
  /// have to be in memory that may not be written. kDeviceLost: nobody answers.
  static Result<std::unique_ptr<GdbCore>> open(const Device& device, const BoardFacts& facts,
                                               OpenLink open_link, const std::string& name,
                                               gdb::ClientOptions options = {});

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
  Status reset_core();
  Status write_setup();
  Status check_writable(uint32_t address, uint64_t size_bytes) const;
  Result<std::string> read_id(const std::string& name);
  /// Runs from the registers as they are. Nothing: it was still running at the limit.
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
  std::string reset_command_ = "reset halt";  ///< as OpenOCD, pyOCD and J-Link take it
};

}  // namespace tinytune
