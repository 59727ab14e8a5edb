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

// Returns the first multiple of 16 MiB above the first 512 MiB (used for return addresses and
// vector tables) from which `size` bytes overlap none of the device's memories.
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

/// Returns an upper bound on a buffer's bytes with alignment padding.
uint64_t taken_by(const Argument& buffer) {
  return uint64_t{buffer.size_bytes} + std::max(buffer.alignment, 1u) - 1;
}

/// A memory that is being filled.
struct Room {
  /// Begins after the image's segments in this memory.
  Room(const MemoryRegion& memory, std::span<const AddressRange> segments)
      : at(memory.address), end_(at + memory.size_bytes) {
    for (const AddressRange& segment : segments)
      if (segment.address >= memory.address && segment.address < end_)
        at = std::max(at, uint64_t{segment.address} + segment.size_bytes);
  }

  uint64_t at;        ///< first free address
  uint64_t kept = 0;  ///< bytes reserved for buffers that may go nowhere else

  uint64_t begin_of(const Argument& buffer) const {
    return round_up(at, std::max(buffer.alignment, 1u));
  }
  bool takes(const Argument& buffer, uint64_t beside) const {
    return begin_of(buffer) + buffer.size_bytes + beside <= end_;
  }

 private:
  uint64_t end_;
};

}  // namespace

std::optional<BufferLayout> place_as_firmware_does(const Device& device,
                                                   std::span<const Argument> buffers,
                                                   uint32_t used_bytes,
                                                   std::span<const AddressRange> segments,
                                                   Overflow overflow) {
  Room data(device.memory(device.data_memory), {});
  data.at += used_bytes;
  Room flash(device.memory(device.rodata_memory), segments);
  std::vector<Room> others;  // memories for weights other than the data memory
  std::vector<Room*> for_constants;
  others.reserve(device.fast_rodata_memories.size());
  for (const std::string& name : device.fast_rodata_memories)
    for_constants.push_back(
        name == device.data_memory ? &data : &others.emplace_back(device.memory(name), segments));
  if (for_constants.empty() || overflow == Overflow::kToFlash) for_constants.push_back(&flash);

  for (const Argument& buffer : buffers)
    if (buffer.role != BufferRole::kConstant) data.kept += taken_by(buffer);
  BufferLayout layout;
  for (const Argument& buffer : buffers) {
    Room* room = &data;
    if (buffer.role == BufferRole::kConstant) {
      const auto found = std::find_if(for_constants.begin(), for_constants.end(),
                                      [&](const Room* r) { return r->takes(buffer, r->kept); });
      if (found == for_constants.end()) return std::nullopt;
      room = *found;
    } else {
      data.kept -= taken_by(buffer);
    }
    if (!room->takes(buffer, 0)) return std::nullopt;
    room->at = room->begin_of(buffer);
    layout.addresses.push_back(static_cast<uint32_t>(room->at));
    room->at += buffer.size_bytes;
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
