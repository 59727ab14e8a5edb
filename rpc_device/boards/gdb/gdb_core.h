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
#include "rpc_device/boards/links/byte_link.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune {

/// `name` tells this link from others; it is the board's id where the device file knows none.
/// kUnsupported: the server lacks what calls need. kInvalidInput: kernels of this device would
/// have to be in memory that may not be written. kDeviceLost: nobody answers.
Result<std::unique_ptr<RemoteCore>> open_gdb_core(
    const Device& device, const BoardFacts& facts,
    std::function<Result<std::unique_ptr<ByteLink>>()> open_link, const std::string& name,
    gdb::ClientOptions options = {});

}  // namespace tinytune
