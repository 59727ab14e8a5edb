#include "deploy/selection/device_memory.h"

#include <algorithm>
#include <set>
#include <string>

namespace tinytune {
namespace {

uint64_t bytes_of(const Device& device, const std::set<std::string>& names) {
  uint64_t bytes = 0;
  for (const std::string& name : names)
    if (!name.empty()) bytes += device.memory(name).size_bytes;
  return bytes;
}

}  // namespace

uint64_t ram_of(const Device& device) {
  std::set<std::string> ram = {device.data_memory, device.stack_memory};
  if (!code_is_beside_data(device)) ram.insert(device.fast_code_memory);
  ram.insert(device.fast_rodata_memories.begin(), device.fast_rodata_memories.end());
  return bytes_of(device, ram);
}

uint64_t in_data_memory(const Footprint& takes, const Device& device) {
  uint64_t bytes = takes.arena_bytes + takes.data_bytes + takes.weights_beside_arena_bytes;
  if (code_is_beside_data(device)) bytes += takes.code_bytes;
  return bytes;
}

Device with_data_memory(Device device, uint64_t bytes) {
  const auto data =
      std::find_if(device.memories.begin(), device.memories.end(),
                   [&](const MemoryRegion& memory) { return memory.name == device.data_memory; });
  data->size_bytes = static_cast<uint32_t>(bytes);
  const auto reaches_into = [&](const MemoryRegion& other) {
    return other.name != data->name && other.address < data->address + bytes &&
           data->address < uint64_t{other.address} + other.size_bytes;
  };
  constexpr uint64_t kStep = 1u << 28, kEnd = uint64_t{1} << 32;
  const uint32_t as_it_was = data->address;
  uint64_t next = 0;
  while (std::any_of(device.memories.begin(), device.memories.end(), reaches_into)) {
    next += kStep;
    const bool has_room = next + bytes <= kEnd;
    data->address = has_room ? static_cast<uint32_t>(next) : as_it_was;
    if (!has_room) break;
  }
  return device;
}

uint64_t flash_of(const Device& device) {
  return bytes_of(device, {device.code_memory, device.rodata_memory});
}

}  // namespace tinytune
