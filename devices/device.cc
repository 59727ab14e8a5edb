#include "devices/device.h"

#include <algorithm>

#include "base/check.h"
#include "base/files.h"
#include "base/nearest_word.h"
#include "devices/core_table.h"
#include "devices/device_hash.h"
#include "devices/embedded_devices.h"

namespace tinytune {
namespace {

constexpr uint64_t kLargestFile = 1 << 20;  // the largest known file has 8 KB

}  // namespace

std::string_view name_of(Capability capability) {
  switch (capability) {
    case Capability::kDsp:
      return "dsp";
    case Capability::kMulHigh:
      return "mul_high";
    case Capability::kDivide:
      return "divide";
    case Capability::kPrefetch:
      return "prefetch";
    case Capability::kMve:
      return "mve";
  }
  return "?";
}

const MemoryRegion& Device::memory(std::string_view region) const {
  for (const MemoryRegion& candidate : memories) {
    if (candidate.name == region) return candidate;
  }
  internal::check_failed(__FILE__, __LINE__, name + " has no memory named " + std::string(region));
}

const CacheModel& Device::cache(std::string_view wanted) const {
  for (const CacheModel& candidate : caches) {
    if (candidate.name == wanted) return candidate;
  }
  internal::check_failed(__FILE__, __LINE__, name + " has no cache named " + std::string(wanted));
}

std::vector<std::string> known_devices() {
  std::vector<std::string> names;
  for (const auto& device : internal::embedded_devices()) names.emplace_back(device.name);
  return names;
}

Device in_flash(Device device) {
  device.fast_code_memory.clear();
  device.fast_code_section.clear();
  device.fast_rodata_memories.clear();
  device.has_open_boundary = false;  // no fast code shares the SRAM
  device.hash = internal::hash_of(device);
  return device;
}

namespace {

MemoryRegion& region_of(Device& device, const std::string& name) {
  return *std::ranges::find(device.memories, name, &MemoryRegion::name);
}

}  // namespace

Device with_open_boundary(Device device) {
  if (!device.data_bus_below || device.fast_code_memory.empty()) return device;
  MemoryRegion& code = region_of(device, device.fast_code_memory);
  MemoryRegion& data = region_of(device, device.data_memory);
  const uint32_t begin = code.address - *device.data_bus_below;
  data.size_bytes += data.address - begin;
  data.address = begin;
  if (*device.data_bus_below != 0) {
    code.size_bytes = data.size_bytes;
    device.has_open_boundary = true;
    return device;
  }
  data.executable = true;  // the same addresses: one memory
  std::erase_if(device.memories,
                [&](const MemoryRegion& m) { return m.name == device.fast_code_memory; });
  device.fast_code_memory = device.data_memory;
  return device;
}

Device with_boundary_behind(Device device, uint64_t code_bytes) {
  if (!device.has_open_boundary) return device;
  constexpr uint64_t kStep = 64;  // what arenas are aligned to, or a multiple
  MemoryRegion& code = region_of(device, device.fast_code_memory);
  MemoryRegion& data = region_of(device, device.data_memory);
  const uint64_t end =
      std::min<uint64_t>((code_bytes + kStep - 1) / kStep * kStep, code.size_bytes);
  code.size_bytes = static_cast<uint32_t>(end);
  data.address += static_cast<uint32_t>(end);
  data.size_bytes -= static_cast<uint32_t>(end);
  device.has_open_boundary = false;
  return device;
}

bool code_is_beside_data(const Device& device) {
  return device.has_open_boundary || device.fast_code_memory == device.data_memory;
}

Device with_portable_kernels(Device device) {
  device.target = internal::without_fpu(std::move(device.target));
  device.target.portable_kernels = true;
  device.target.capabilities.erase(Capability::kDsp);
  device.target.capabilities.erase(Capability::kMve);
  device.target.capabilities.erase(Capability::kPrefetch);
  return device;
}

namespace {

/// Returns `text` in lower case, as known names are: data sheets write ESP32C3.
std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

Result<internal::DeviceText> internal::find_device_text(std::string_view name_or_path) {
  for (const auto& device : internal::embedded_devices()) {
    if (device.name == lower_case(name_or_path)) {
      return DeviceText{std::string(device.toml), "built-in " + std::string(device.name) + ".toml"};
    }
  }
  const std::string path(name_or_path);
  const auto text = read_file(path, kLargestFile);
  if (text) return DeviceText{std::string(text_of(*text)), path};
  const bool there = text.error().code() != ErrorCode::kNotFound;
  const std::vector<std::string> names = known_devices();
  const std::string meant = nearest_word(lower_case(path), names);
  if (!there && !meant.empty())
    return Error(ErrorCode::kNotFound, "unknown device '" + path + "', did you mean " + meant +
                                           "? `tune devices` lists all");
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return Error(ErrorCode::kNotFound, "device '" + path + "' is neither a known device (" + known +
                                         ") nor a readable device file" +
                                         (there ? ": " + text.error().message() : ""));
}

Result<Device> load_device(std::string_view name_or_path) {
  TT_TRY_ASSIGN(const internal::DeviceText file, internal::find_device_text(name_or_path));
  return parse_device(file.text, file.origin);
}

}  // namespace tinytune
