// Build systems for which a generated library can be packaged. The sources are the same in all.
#pragma once

#include <string>

namespace tinytune {

/// Target build system of a package.
enum class PackageFormat {
  kCmake,       ///< a static library
  kEspIdf,      ///< a component
  kZephyr,      ///< a module
  kArduino,     ///< a library in the 1.5 layout
  kMlf,         ///< one .tar in TVM's Model Library Format, version 5
  kPlatformio,  ///< a library with a library.json
  kPicoSdk,     ///< a library for projects of pico-sdk
  kStm32Cube,   ///< a library for the CMake projects that STM32CubeMX makes
};

/// Fields that library registries require of a package. Manifests contain those that are set.
struct PackageIdentity {
  std::string version = "1.0.0";  ///< version of the package: numbers and dots
  std::string url;                ///< address of its source or description
  std::string licence;            ///< SPDX expression
};

}  // namespace tinytune
