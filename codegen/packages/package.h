// A generated network as a directory that a build system takes: sources where it wants them, its
// build files, a README, and a test program.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/cycle_reading.h"
#include "devices/device.h"
#include "tinytune/package.h"

namespace tinytune {

/// "cmake", "esp-idf", "zephyr", "arduino", "mlf", "platformio", "pico-sdk", "stm32cube".
std::string_view name_of(PackageFormat format);
std::optional<PackageFormat> parse_package_format(std::string_view name);

/// One inference and its right answer, with stubs where functions are not given; becomes a test
/// program in the package.
struct SmokeTest {
  std::vector<std::vector<uint8_t>> inputs, outputs;  ///< in the model's order
};

/// Programs of a package beside the library.
struct PackagePrograms {
  std::optional<SmokeTest> smoke = {};
  std::optional<CycleReading> bench = {};  ///< only with a smoke test, whose inference it times
};

/// The files of the package. Same arguments, same bytes. For kMlf they are what its archive holds.
std::vector<GeneratedFile> package_files(const GeneratedNetwork& network, const Device& device,
                                         PackageFormat format, const PackagePrograms& programs = {},
                                         const PackageIdentity& identity = {});

/// The same as they are written: one archive for kMlf.
std::vector<GeneratedFile> files_to_write(const GeneratedNetwork& network,
                                          std::vector<GeneratedFile> files, PackageFormat format);

}  // namespace tinytune
