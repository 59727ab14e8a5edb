// Programs link if compilers call functions that the programs do not define, such as divisions.
#include <gtest/gtest.h>

#include "codegen/kernels/c_compiler.h"
#include "codegen/kernels/kernel.h"

namespace tinytune {
namespace {

TEST(CompilerLibrary, OfCoresWithExtensions_DividesLongNumbers) {
  for (const char* name : {"rv32imc", "rv32imc_zve32x", "hazard3", "cortex-m55"}) {
    const Device device = *load_device(name);
    const auto object =
        compile_text("long long f(long long a, long long b) { return a / b; }\n", device);
    ASSERT_TRUE(object) << object.error().message();
    const auto image = link_image({{*object}}, device, "f");
    EXPECT_TRUE(image) << name << ": " << image.error().message();
  }
}

}  // namespace
}  // namespace tinytune
