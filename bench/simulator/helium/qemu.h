// Runs streams in QEMU's model of a Cortex-M55 and reads their blocks back.
#pragma once

#include <string>
#include <vector>

#include "bench/simulator/helium/stream.h"

namespace tinytune::helium {

// Addresses in the tightly coupled memory, which starts at 0 with harness.S.
constexpr uint32_t kTable = 0x800, kCode = 0x2800, kHeader = 0x28000, kEnd = 0x80000;
constexpr size_t kMostStreams =
    std::min<size_t>((kCode - kTable) / 4, (kEnd - kHeader - 16) / sizeof(Block));
constexpr uint32_t kFirstBlock = kHeader + 16;

struct QemuResult {
  std::string problem;  ///< empty: all streams ran
  uint32_t finished = 0, fault_address = 0;
  std::vector<Block> blocks;
};

/// True if the emulator can be started.
bool qemu_exists();

/// `addresses[i]`: address of the code of `streams[i]`; `harness`: harness.S assembled; `scratch`:
/// path prefix of temporary files.
QemuResult run_in_qemu(const std::vector<Stream>& streams, const std::vector<uint32_t>& addresses,
                       const std::string& harness, const std::string& scratch);

}  // namespace tinytune::helium
