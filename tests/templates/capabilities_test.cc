// Templates choose by a core's capabilities: cores that no code names get what their files list.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "codegen/kernels/kernel.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Returns the Cortex-M4's device with another core: a new device needs no more than such a file.
Device device_of(const std::string& isa, const std::string& triple, const std::string& cpu,
                 const std::string& capabilities) {
  std::ifstream file(TINYTUNE_SOURCE_DIR "/devices/cortex-m4.toml");
  std::ostringstream read;
  read << file.rdbuf();
  std::string text = read.str();
  const auto replace = [&](const std::string& from, const std::string& to) {
    EXPECT_NE(text.find(from), std::string::npos) << from;
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("\"armv7e-m\"", "\"" + isa + "\"");
  replace("thumbv7em-none-unknown-eabi", triple);
  replace("cpu = \"cortex-m4\"", "cpu = \"" + cpu + "\"");
  replace("[\"dsp\", \"mul_high\", \"divide\"]", capabilities);
  const auto device = parse_device(text, "board.toml");
  EXPECT_TRUE(device) << device.error().message();
  return *device;
}

const char* const kConvolution =
    "conv2d_s8 nhwc n1 in8x8x8 out8x8x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 act-128,127 lane8 "
    "fused";

std::vector<std::string> templates_for(const Device& device) {
  const ConfigSpace space = space_of(*parse_workload(kConvolution), device);
  std::vector<std::string> names;
  for (size_t f = 0; f < space.family_count(); ++f) names.push_back(space.family(f).template_name);
  return names;
}

const Schedule kSmlad("smlad_nhwc", 4,
                      {{"oc", "2"},
                       {"px", "2"},
                       {"step", "2"},
                       {"border", "copy"},
                       {"sched", "source"},
                       {"weights", "joined"},
                       {"loads", "grouped"},
                       {"tiles", "1"},
                       {"right", "0"}});

TEST(Capabilities, ACoreWithDsp_GetsSmladByItsFileAlone) {
  const Device m33 = device_of("armv8-m.main+dsp", "thumbv8m.main-none-unknown-eabi", "cortex-m33",
                               "[\"dsp\", \"mul_high\", \"divide\"]");
  EXPECT_THAT(templates_for(m33), Contains("smlad_nhwc"));
  EXPECT_THAT(templates_for(m33), Contains("smlad_rows"));
  EXPECT_THAT(templates_for(m33), Not(Contains("lanes_nhwc")));
  const auto kernel =
      compile_kernel(*parse_workload(kConvolution), kSmlad, m33, "kernel", Emit::kAssembly);
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_THAT(kernel->assembly, HasSubstr("smlad"));
}

TEST(Capabilities, ACoreWithoutDsp_GetsLanes) {
  const Device m3 =
      device_of("armv7-m", "thumbv7m-none-unknown-eabi", "cortex-m3", "[\"mul_high\", \"divide\"]");
  EXPECT_THAT(templates_for(m3), Contains("lanes_nhwc"));
  EXPECT_THAT(templates_for(m3), Not(Contains("smlad_nhwc")));
}

// Instruction selection would abort the process.
TEST(Capabilities, DspThatLlvmsCoreLacks_IsAnError) {
  Device wrong = device_of("armv7-m", "thumbv7m-none-unknown-eabi", "cortex-m3", "[\"divide\"]");
  wrong.target.capabilities.insert(Capability::kDsp);  // no device file may list it
  const auto kernel =
      compile_kernel(*parse_workload(kConvolution), kSmlad, wrong, "kernel", Emit::kAssembly);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(kernel.error().message(), HasSubstr("dsp"));
}

}  // namespace
}  // namespace tinytune
