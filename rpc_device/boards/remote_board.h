// A Board that is a chip on somebody's desk, behind a RemoteCore.
//
// Kernels lie in the board's memory as firmware would have them. Little crosses the link: segments
// and constants that are there already are not sent again. What was sent is not trusted to have
// arrived, since a debugger may answer before it has written: the image is read back when it is
// loaded, and inputs and constants are compared after a kernel's first call, which shows a kernel
// that changes them as well. Anything out of the ordinary (a trap, a hang, changed constants) makes
// the board forget what it holds, so that the next candidate does not suffer for the last one.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "measure/board.h"
#include "rpc_device/boards/board_image.h"
#include "rpc_device/boards/buffer_layout.h"
#include "rpc_device/boards/constant_store.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune {

class RemoteBoard final : public Board {
 public:
  RemoteBoard(const Device& device, std::unique_ptr<RemoteCore> core);

  const Device& device() const override { return device_; }
  BoardIdentity identity() const override;
  BoardCapabilities capabilities() const override;
  Status keep(const Digest& digest, std::span<const uint8_t> bytes) override;
  Result<LoadReport> load(const LoadRequest& request) override;
  Result<KernelRunReport> run(const RunRequest& request) override;
  Result<std::vector<uint8_t>> read_output() override;
  Status reset() override;

 private:
  /// What stands at an address of the board, as far as it is known.
  using Placed = std::map<uint32_t, std::vector<uint8_t>>;

  /// Whether it had to be sent.
  Result<bool> place(uint32_t address, std::span<const uint8_t> bytes);
  Status send_image(const BoardImage& image);
  Status fill_buffers(const RunRequest& request);
  Result<bool> call_once(const RunRequest& request, KernelRunReport& report);
  bool same_inputs(const RunRequest& request, std::span<const Digest> now, KernelRunReport& report);
  void forget() { placed_.clear(); }

  const Device device_;
  const std::unique_ptr<RemoteCore> core_;
  ConstantStore constants_;
  Placed placed_;

  std::vector<Argument> arguments_;
  std::vector<ImageSegment> changing_;  ///< segments that a call may change
  BufferLayout layout_;
  std::vector<size_t> compared_;  ///< arguments that no call may change
  uint32_t function_ = 0;
  bool loaded_ = false, returned_ = false, inputs_compared_ = false;
};

}  // namespace tinytune
