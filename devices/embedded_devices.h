// The device files compiled into the program; the build writes the table (devices/embed.cmake).
//
// In the program and not installed beside it, so that a copied executable still knows its boards.
#pragma once

#include <string_view>
#include <vector>

namespace tinytune::internal {

struct EmbeddedDevice {
  std::string_view name;  ///< the file's stem
  std::string_view toml;
};

/// Sorted by name.
const std::vector<EmbeddedDevice>& embedded_devices();

}  // namespace tinytune::internal
