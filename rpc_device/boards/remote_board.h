// A Board that is a real chip, behind a RemoteCore.
//
// Kernels are placed in the board's memory as in firmware. Little crosses the link: bytes that are
// already there are not sent again, and constants and inputs that are on the board at another
// address are copied there (block_shelf.h). Writes are verified, because a debugger may answer
// before it has written: digests of the image are compared when it is loaded, and those of inputs
// and constants after a kernel's first call, which also detects a kernel that changes them. If they
// differ and were not all sent for this kernel, an earlier kernel may have changed them: everything
// is sent again, and the second result counts. After anything unusual (a trap, a hang, changed
// constants) the board's contents are treated as unknown, so that the next candidate is not
// affected.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "measure/board.h"
#include "rpc_device/boards/block_shelf.h"
#include "rpc_device/boards/board_image.h"
#include "rpc_device/boards/buffer_layout.h"
#include "rpc_device/boards/constant_store.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune {

class RemoteBoard final : public Board {
 public:
  /// `power_switch`: a command for switch_off_and_on(); empty: none.
  RemoteBoard(const Device& device, std::unique_ptr<RemoteCore> core,
              std::string power_switch = "");

  const Device& device() const override { return device_; }
  BoardIdentity identity() const override;
  BoardCapabilities capabilities() const override;
  Status keep(const Digest& digest, std::span<const uint8_t> bytes) override;
  Result<LoadReport> load(const LoadRequest& request) override;
  Result<KernelRunReport> run(const RunRequest& request) override;
  Result<std::vector<KernelRunReport>> run_each(std::span<const RunRequest> requests) override;
  Result<std::vector<uint8_t>> read_output() override;
  Status reset() override;

 private:
  /// Known contents of the board's memory, by address.
  using Placed = std::map<uint32_t, std::vector<uint8_t>>;

  /// Returns whether these bytes are already there.
  bool stands(uint32_t address, std::span<const uint8_t> bytes);
  /// Forgets the known contents of a range that is going to be written.
  void overwrite(uint32_t address, uint64_t size_bytes);
  /// Copies the bytes from the shelf; if it lacks them, calls `send` and then copies them to the
  /// shelf. A block that is cheap to send evicts no other.
  template <typename Send>
  Status from_shelf(uint32_t address, std::span<const uint8_t> bytes, Send send,
                    bool is_cheap = false);
  void forget();

  /// Sends the parts of the image and of its constants that are not there yet.
  Status send_kernel();
  Status send_image();
  uint32_t end_of_buffers() const;
  Status fill_buffers(const RunRequest& request);
  /// kInvalidInput as run().
  Status check_request(const RunRequest& request) const;
  CoreCall call_of(const RunRequest& request, std::span<const size_t> compared) const;
  /// Appends a sample to the report, or describes the failure.
  void describe(const CoreReturn& done, std::optional<size_t> differs,
                KernelRunReport& report) const;
  /// `anew`: everything was sent again for this call.
  Result<bool> call_once(const RunRequest& request, KernelRunReport& report, bool anew = false);
  /// Returns the arguments whose digests are compared after this call.
  std::vector<size_t> compared_in(const RunRequest& request) const;
  std::optional<size_t> changed(const RunRequest& request, std::span<const size_t> compared,
                                std::span<const Digest> now) const;

  const Device device_;
  const std::unique_ptr<RemoteCore> core_;
  const std::string power_switch_;
  ConstantStore constants_;
  Placed placed_;
  BlockShelf shelf_;

  BoardImage image_;
  std::vector<Argument> arguments_;
  std::vector<std::vector<uint8_t>> constant_bytes_;  ///< by argument
  std::vector<ImageSegment> changing_;                ///< segments that a call may change
  BufferLayout layout_;
  uint32_t function_ = 0;
  bool loaded_ = false, returned_ = false, inputs_compared_ = false;
  bool sent_all_ = false;  ///< everything was sent for this kernel; nothing was there before
};

}  // namespace tinytune
