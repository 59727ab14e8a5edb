// A Board that is a chip on somebody's desk, behind a RemoteCore.
//
// Kernels lie in the board's memory as firmware would have them. Little crosses the link: what is
// there already is not sent again, and constants and inputs that were needed elsewhere are copied
// from the board's own shelf. What was sent is not trusted to have arrived, since a debugger may
// answer before it has written: the image is read back when it is loaded, and inputs and constants
// are compared after a kernel's first call, which shows a kernel that changes them as well. Where
// they differ and were not all sent for this kernel, a kernel before it may have stored into them:
// all is sent anew, and only then it counts. Anything out of the ordinary (a trap, a hang, changed
// constants) makes the board forget what it holds, so that the next candidate does not suffer.
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
  /// `power_switch`: a command for switch_off_and_on(); empty: there is none.
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
  /// What stands at an address of the board, as far as it is known.
  using Placed = std::map<uint32_t, std::vector<uint8_t>>;

  /// Whether these bytes are there already.
  bool stands(uint32_t address, std::span<const uint8_t> bytes);
  /// Something else is to stand there.
  void overwrite(uint32_t address, uint64_t size_bytes);
  /// A copy from the shelf; or else what `send` does, and then a copy to the shelf. What is cheap
  /// to send takes no other block's room.
  template <typename Send>
  Status from_shelf(uint32_t address, std::span<const uint8_t> bytes, Send send,
                    bool is_cheap = false);
  void forget();

  /// The image and its constants, as far as they are not there.
  Status send_kernel();
  Status send_image();
  uint32_t end_of_buffers() const;
  Status fill_buffers(const RunRequest& request);
  /// kInvalidInput as run().
  Status check_request(const RunRequest& request) const;
  CoreCall call_of(const RunRequest& request, std::span<const size_t> compared) const;
  /// Appends a sample, or says what was wrong.
  void describe(const CoreReturn& done, std::optional<size_t> differs,
                KernelRunReport& report) const;
  /// `anew`: what was there before the kernel has been sent for it by now.
  Result<bool> call_once(const RunRequest& request, KernelRunReport& report, bool anew = false);
  /// Arguments whose bytes are compared after this call.
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
  bool sent_all_ = false;  ///< for this kernel: nothing that it has was there before
};

}  // namespace tinytune
