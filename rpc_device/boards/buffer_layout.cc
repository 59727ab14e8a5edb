#include "rpc_device/boards/buffer_layout.h"

#include <algorithm>

namespace tinytune {
namespace {

constexpr uint64_t kPage = 4096;

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
uint64_t round_down(uint64_t value, uint64_t to) { return value / to * to; }

uint64_t pages_for(const Argument& buffer) {
  return round_up(std::max<uint64_t>(buffer.size_bytes, 1), kPage);
}

// The first multiple of 16 MiB, above the first 512 MiB (where return addresses and vector tables
// live), from which `size` bytes are free of the device's memories.
std::optional<uint64_t> free_range(const Device& device, uint64_t size) {
  constexpr uint64_t kStep = uint64_t{16} << 20;
  for (uint64_t base = uint64_t{512} << 20; base + size <= uint64_t{1} << 32; base += kStep) {
    const bool taken = std::any_of(device.memories.begin(), device.memories.end(),
                                   [&](const MemoryRegion& memory) {
                                     return base < uint64_t{memory.address} + memory.size_bytes &&
                                            memory.address < base + size;
                                   });
    if (!taken) return base;
  }
  return std::nullopt;
}

BufferLayout place_pages(uint64_t base, std::span<const Argument> buffers, Guard guard) {
  BufferLayout layout;
  uint64_t at = base + kPage;
  for (const Argument& buffer : buffers) {
    const uint64_t size = buffer.size_bytes, end = at + pages_for(buffer);
    const uint64_t address =
        guard == Guard::kAtStart ? at : round_down(end - size, std::max(buffer.alignment, 1u));
    layout.addresses.push_back(static_cast<uint32_t>(address));
    layout.mapped.push_back(
        {{static_cast<uint32_t>(at), static_cast<uint32_t>(end - at)}, is_written(buffer.role)});
    const auto add_slack = [&layout](uint64_t from, uint64_t to) {
      if (from < to)
        layout.slack.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to - from)});
    };
    add_slack(at, address);
    add_slack(address + size, end);
    at = end + kPage;
  }
  return layout;
}

}  // namespace

std::optional<BufferLayout> place_as_firmware_does(const Device& device,
                                                   std::span<const Argument> buffers,
                                                   uint32_t used_bytes,
                                                   std::span<const AddressRange> segments) {
  const MemoryRegion& data = device.memory(device.data_memory);
  const MemoryRegion& constants = device.memory(device.rodata_memory);
  const bool stays = device.fast_rodata_memory.empty();
  uint64_t at_data = uint64_t{data.address} + used_bytes, at_constants = constants.address;
  for (const AddressRange& segment : segments)
    if (segment.address - constants.address < constants.size_bytes)
      at_constants = std::max(at_constants, uint64_t{segment.address} + segment.size_bytes);
  BufferLayout layout;
  for (const Argument& buffer : buffers) {
    const bool is_constant = stays && buffer.role == BufferRole::kConstant;
    const MemoryRegion& memory = is_constant ? constants : data;
    uint64_t& at = is_constant ? at_constants : at_data;
    at = round_up(at, std::max(buffer.alignment, 1u));
    layout.addresses.push_back(static_cast<uint32_t>(at));
    at += buffer.size_bytes;
    if (at > uint64_t{memory.address} + memory.size_bytes) return std::nullopt;
  }
  return layout;
}

std::optional<GuardedLayouts> place_guarded(const Device& device,
                                            std::span<const Argument> buffers) {
  uint64_t one = kPage;
  for (const Argument& buffer : buffers) one += pages_for(buffer) + kPage;
  const auto base = free_range(device, 2 * one);
  if (!base) return std::nullopt;
  return GuardedLayouts{place_pages(*base, buffers, Guard::kAtEnd),
                        place_pages(*base + one, buffers, Guard::kAtStart)};
}

}  // namespace tinytune
