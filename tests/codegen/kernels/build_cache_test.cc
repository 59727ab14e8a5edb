// Files are compiled once for all devices of a core, and again if their text differs.
#include "codegen/kernels/build_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "codegen/kernels/compiled_text.h"
#include "devices/device.h"

namespace tinytune::test {
namespace {

class BuildCacheTest : public testing::Test {
 protected:
  /// Returns whether the file had to be compiled because the cache did not have it.
  bool is_compiled(const std::string& text, const std::string& device) {
    bool compiled = false;
    const auto made = builds_.object("a.c", text, *load_device(device), [&] {
      compiled = true;
      return Result<std::vector<uint8_t>>(std::vector<uint8_t>{1});
    });
    EXPECT_TRUE(made);
    return compiled;
  }

  BuildCache builds_;
};

TEST_F(BuildCacheTest, Object_IsSharedByDevicesOfOneCore) {
  const std::string check = "#if !__thumb__\n#error \"made for ";
  EXPECT_TRUE(is_compiled("/* for stm32f4 */\n" + check + "stm32f4\"\n#endif\nint a;", "stm32f4"));
  EXPECT_FALSE(
      is_compiled("/* for stm32l4r5 */\n" + check + "stm32l4r5\"\n#endif\nint a;", "stm32l4r5"));
  EXPECT_TRUE(is_compiled("int a;", "esp32c3"));
  EXPECT_TRUE(is_compiled("int a;", "cortex-m4")) << "without an FPU";
  EXPECT_FALSE(is_compiled("int a;", "qemu-mps2-m4"));
}

TEST_F(BuildCacheTest, Object_OfAnotherTextIsCompiled) {
  for (const char* text :
       {"int a;", "int b;", "char *a = \"/* x */\";", "char *a = \"/* y */\";",
        "int a; // see x/*\nint b; // */", "int a; // see x/*\nint c; // */", "#if 1\n#error x"})
    EXPECT_TRUE(is_compiled(text, "stm32f4")) << text;
}

TEST(CompiledText, KeepsCodeAroundComments) {
  EXPECT_EQ(compiled_text("int /* one */ a; /* two\nlines */\nchar b = '\"'; /* \" */ int c;"),
            "int   a;  \nchar b = '\"';   int c;");
  EXPECT_EQ(compiled_text("  #error x\n#error y\nz /* open"), "  #error x\n#error\nz  ");
}

TEST(BuildCacheKernel, CodeBytes_AreTheLinkedKernels) {
  BuildCache builds;
  const Device device = *load_device("cortex-m4");
  const auto workload = parse_workload(
      "conv2d_s8 nhwc n1 in4x4x8 out4x4x8 k1x1 s1x1 d1x1 p0,0 g1 "
      "m1 zp0,0 act-128,127 lane2 fused");
  ASSERT_TRUE(workload) << workload.error().message();
  const auto schedule = builds.spaces().defaults_of(*workload, device)->front();
  const auto bytes = builds.code_bytes(*workload, schedule, device);
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_GT(*bytes, 100U);
  EXPECT_EQ(*bytes, *builds.code_bytes(*workload, schedule, *load_device("qemu-mps2-m4")));
}

}  // namespace
}  // namespace tinytune::test
