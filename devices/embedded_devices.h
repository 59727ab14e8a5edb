// The device files compiled into the program; the build writes the table (devices/embed.cmake).
//
// They are not installed as files, so that a copied executable still has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune::internal {

struct EmbeddedDevice {
  std::string_view name;  ///< the file's stem
  std::string_view toml;
};

/// Sorted by name.
const std::vector<EmbeddedDevice>& embedded_devices();

struct DeviceText {
  std::string text, origin;
};

/// Reads the file of a known device, or the file at a path. Errors are those of load_device().
Result<DeviceText> find_device_text(std::string_view name_or_path);

}  // namespace tinytune::internal
