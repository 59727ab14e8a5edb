// What every format has in common.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/packages/build_id.h"
#include "codegen/packages/package.h"
#include "codegen/passes/passes.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> contents_of(const std::vector<GeneratedFile>& files, FileRole role) {
  std::vector<std::string> contents;
  for (const GeneratedFile& file : files)
    if (file.role == role) contents.push_back(file.contents);
  return contents;
}

TEST(PackageFormats, SourcesAreTheSameInAll_AndNamedWhereBuildFilesDo) {
  const Device device = *load_device("rv32imc");
  const auto executed = executed_network(small_graph());
  ASSERT_TRUE(executed) << executed.error().message();
  const auto network = generate_network(*executed, device, {}, {"net"});
  ASSERT_TRUE(network) << network.error().message();
  for (const char* name :
       {"cmake", "esp-idf", "zephyr", "arduino", "mlf", "platformio", "pico-sdk", "stm32cube"}) {
    SCOPED_TRACE(name);
    const auto format = parse_package_format(name);
    ASSERT_TRUE(format.has_value());
    EXPECT_EQ(name_of(*format), name);
    const auto files = package_files(*network, device, *format);
    for (const FileRole role : {FileRole::kHeader, FileRole::kSource})
      EXPECT_EQ(contents_of(files, role), contents_of(with_build_id(*network), role));
    EXPECT_EQ(files_to_write(*network, files, *format).size(),
              *format == PackageFormat::kMlf ? 1U : files.size());
    std::string build_files;
    for (const GeneratedFile& file : files)
      if (file.name.ends_with("CMakeLists.txt")) build_files += file.contents;
    // Arduino's and PlatformIO's tools compile all of src/; an archive of the format has no build
    // files.
    if (*format == PackageFormat::kArduino || *format == PackageFormat::kMlf ||
        *format == PackageFormat::kPlatformio)
      continue;
    for (const char* source : {"net.c", "net_weights.c", "net_kernels.S"})
      EXPECT_THAT(build_files, HasSubstr(source));
  }
  EXPECT_EQ(parse_package_format("make"), std::nullopt);
}

}  // namespace
}  // namespace tinytune::test
