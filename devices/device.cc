#include "devices/device.h"

#include <fstream>
#include <sstream>

#include "base/check.h"
#include "devices/embedded_devices.h"

namespace tinytune {

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

Result<Device> load_device(std::string_view name_or_path) {
  for (const auto& device : internal::embedded_devices()) {
    if (device.name == name_or_path) {
      return parse_device(device.toml, "built-in " + std::string(device.name) + ".toml");
    }
  }
  const std::string path(name_or_path);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // A directory opens, but reading it fails.
  if (!file || !(text << file.rdbuf())) {
    std::string known;
    for (const std::string& name : known_devices()) known += (known.empty() ? "" : ", ") + name;
    return Error(ErrorCode::kNotFound, "device '" + path + "' is neither a known device (" + known +
                                           ") nor a readable device file");
  }
  return parse_device(text.str(), path);
}

}  // namespace tinytune
