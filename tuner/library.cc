#include "base/check.h"
#include "devices/device.h"
#include "tinytune/tinytune.h"

namespace tinytune {

namespace {

std::string fast_memory_of(const Device& device) {
  std::string text;
  const auto add = [&](const char* what, const std::string& memory) {
    if (memory.empty()) return;
    text += (text.empty() ? "" : ", ") + std::string(what) + " " + memory + " " +
            std::to_string(device.memory(memory).size_bytes / 1024) + " KiB";
    if (memory == device.data_memory) text += " beside the arena";
  };
  add("code", device.fast_code_memory);
  for (const std::string& memory : device.fast_rodata_memories) add("weights", memory);
  return text;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  for (const std::string& name : known_devices()) {
    const Result<Device> device = load_device(name);
    TT_CHECK(device.has_value(), "a built-in device file is well formed");
    devices.push_back({device->name, device->description, device->target.isa, device->clock_hz,
                       device->transports, fast_memory_of(*device)});
  }
  return devices;
}

}  // namespace tinytune
