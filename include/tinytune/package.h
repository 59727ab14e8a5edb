// Which build system a generated library is laid out for. The sources are the same in all.
#pragma once

#include <string>

namespace tinytune {

/// Whose build files a package has.
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

/// What registries of libraries ask of a package. Manifests have these fields where they are known.
struct PackageIdentity {
  std::string version = "1.0.0";  ///< of the package: numbers and dots
  std::string url;                ///< where its source or its description is
  std::string licence;            ///< SPDX's expression
};

}  // namespace tinytune
