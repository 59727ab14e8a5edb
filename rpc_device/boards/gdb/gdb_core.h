// A core behind a GDB server: OpenOCD, pyOCD, probe-rs, J-Link, Black Magic Probe, Renode, QEMU.
//
// No program runs on the board: the client writes RAM and sets registers; breakpoints at the return
// address and the trap vector end a call. So only a probe is needed, but all data crosses the link
// that a runner on the board would generate itself.
//
// Only memory is written that the device file declares as RAM and the server's memory map does not
// declare as flash or ROM. Flash is never written.
#pragma once

#include <functional>
#include <memory>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/gdb/client.h"
#include "rpc_device/boards/links/byte_link.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune {

/// `name` identifies the link; it is the board's id if the device file defines none. kUnsupported:
/// the server lacks a feature needed for calls. kInvalidInput: kernels of this device would have to
/// be in memory that may not be written. kDeviceLost: no answer.
Result<std::unique_ptr<RemoteCore>> open_gdb_core(
    const Device& device, const BoardFacts& facts,
    std::function<Result<std::unique_ptr<ByteLink>>()> open_link, const std::string& name,
    gdb::ClientOptions options = {});

}  // namespace tinytune
