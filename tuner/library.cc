#include "base/check.h"
#include "devices/device.h"
#include "tinytune/tinytune.h"

namespace tinytune {

const char* version() { return TINYTUNE_VERSION; }

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  for (const std::string& name : known_devices()) {
    const Result<Device> device = load_device(name);
    TT_CHECK(device.has_value(), "a built-in device file is well formed");
    devices.push_back({device->name, device->description, device->target.isa, device->clock_hz,
                       device->transports});
  }
  return devices;
}

}  // namespace tinytune
