// LLVM builds code for every core and feature that a device file may name. One that it does not
// know, or for which it cannot select instructions, would end the process.
#include "devices/core_table.h"

#include <gtest/gtest.h>

#include "codegen/kernels/kernel.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

/// Returns the device that counts instructions for the family, with another core.
Device device_with(CoreFamily family, const std::string& cpu, const std::string& features) {
  Device device = *load_device(family == CoreFamily::kArmM ? "cortex-m4" : "rv32imc");
  device.target.cpu = cpu;
  device.target.features = features;
  // Takes the right triple from the error message for a wrong one.
  device.target.triple = "x";
  const std::string rule = internal::problem_with(device.target)->what;
  const size_t begin = std::string("must be ").size();
  device.target.triple = rule.substr(begin, rule.find(" for ") - begin);
  EXPECT_FALSE(internal::problem_with(device.target)) << cpu << " " << features;
  device.target.capabilities = internal::capabilities_of(device.target);
  return device;
}

/// Checks that a kernel compiles. LLVM complains about unknown names on standard error.
void expect_builds(const Device& device) {
  SCOPED_TRACE(device.target.cpu + " " + device.target.features);
  const Workload workload = *parse_workload(
      "dense_s8 nhwc n1 in1x1x8 out1x1x4 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-128,127 lane1 "
      "long");
  testing::internal::CaptureStderr();
  const Schedule schedule = *default_schedule_of(workload, device);
  const auto kernel = compile_kernel(workload, schedule, device, "kernel", Emit::kAssembly);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(kernel) << kernel.error().message();
}

class CoreTable : public testing::TestWithParam<CoreFamily> {};

TEST_P(CoreTable, LlvmBuildsForEveryCoreAndFeature) {
  const bool arm = GetParam() == CoreFamily::kArmM;
  for (const std::string& cpu : internal::known_cpus(GetParam())) {
    expect_builds(device_with(GetParam(), cpu, arm ? "+soft-float" : "+m,+c"));
    for (const std::string& feature : internal::known_features(GetParam()))
      for (const char* sign : {"+", "-"})
        expect_builds(device_with(GetParam(), cpu, sign + feature));
  }
}

INSTANTIATE_TEST_SUITE_P(Family, CoreTable,
                         testing::Values(CoreFamily::kArmM, CoreFamily::kRiscv32));

}  // namespace
}  // namespace tinytune
