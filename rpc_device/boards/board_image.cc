#include "rpc_device/boards/board_image.h"

#include "simulator/elf.h"
#include "simulator/memory.h"

namespace tinytune {

std::optional<uint32_t> BoardImage::address_of(const std::string& symbol) const {
  const auto at = info.symbols.find(symbol);
  if (at == info.symbols.end()) return std::nullopt;
  return at->second.address;
}

// Uses the simulator's loader, on memory that is never executed, so that both accept the same
// files.
Result<BoardImage> read_image(std::span<const uint8_t> elf, const Device& device) {
  Memory memory;
  for (const MemoryRegion& region : device.memories)
    TT_TRY(memory.add({region.address, region.size_bytes, region.executable, region.writable}));
  BoardImage image;
  TT_TRY_ASSIGN(image.info, load_elf(elf, device.target.family, memory));
  for (const AddressRange& range : image.info.segments) {
    const std::span<uint8_t> bytes = memory.at(range.address, range.size_bytes);
    image.segments.push_back({range.address, {bytes.begin(), bytes.end()}});
  }
  return image;
}

}  // namespace tinytune
