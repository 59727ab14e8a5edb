// Which build system a generated library is laid out for. The sources are the same in all.
#pragma once

namespace tinytune {

/// Whose build files a package has.
enum class PackageFormat {
  kCmake,    ///< a static library
  kEspIdf,   ///< a component
  kZephyr,   ///< a module
  kArduino,  ///< a library in the 1.5 layout
  kMlf,      ///< one .tar in TVM's Model Library Format, version 5
};

}  // namespace tinytune
