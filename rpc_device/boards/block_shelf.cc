#include "rpc_device/boards/block_shelf.h"

#include <algorithm>

namespace tinytune {
namespace {

constexpr uint32_t kAlignment = 8;

}  // namespace

std::optional<uint32_t> BlockShelf::find(const Digest& digest, uint32_t size_bytes) {
  for (auto& [address, block] : blocks_)
    if (block.digest == digest && block.size_bytes == size_bytes) {
      block.used = ++uses_;
      return address;
    }
  return std::nullopt;
}

// Returns the highest address with enough room.
std::optional<uint32_t> BlockShelf::gap_of(uint32_t size_bytes) const {
  uint32_t gap_end = end_;
  const auto fits_after = [&](uint32_t begin) -> std::optional<uint32_t> {
    if (gap_end < begin || gap_end - begin < size_bytes) return std::nullopt;
    const uint32_t address = (gap_end - size_bytes) / kAlignment * kAlignment;
    return address >= begin ? std::optional(address) : std::nullopt;
  };
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (const auto address = fits_after(block->first + block->second.size_bytes)) return address;
    gap_end = block->first;
  }
  return fits_after(free_from_);
}

std::optional<uint32_t> BlockShelf::add(const Digest& digest, uint32_t size_bytes) {
  auto address = gap_of(size_bytes);
  while (!address && !blocks_.empty()) {
    blocks_.erase(std::min_element(
        blocks_.begin(), blocks_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    address = gap_of(size_bytes);
  }
  if (address) blocks_[*address] = {size_bytes, digest, ++uses_};
  return address;
}

void BlockShelf::give_up_below(uint32_t address) {
  free_from_ = std::clamp(address, begin_, end_);
  std::erase_if(blocks_, [&](const auto& block) { return block.first < free_from_; });
}

}  // namespace tinytune
