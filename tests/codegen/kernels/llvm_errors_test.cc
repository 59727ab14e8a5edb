// Code that LLVM cannot compile is an error and does not end the process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/kernels/kernel.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

// Lowers to one assembly statement with more operands than the core has registers.
Lowered needs_too_many_registers(const Workload&, const Schedule&, const Device&,
                                 const std::string& symbol) {
  std::string constraints, values;
  for (int i = 0; i < 40; ++i) {
    constraints += "r,";
    values += (i == 0 ? "i32 " : ", i32 ") + std::to_string(i);
  }
  return {nullptr, "define void @" + symbol + "(i8* %input, i8* %output) {\n  call void asm " +
                       "sideeffect \"nop\", \"" + constraints + "~{memory}\"(" + values +
                       ")\n  ret void\n}\n"};
}

TEST(LlvmErrors, KernelWithoutRegisters_FailsToBuild) {
  const Workload workload = *parse_workload(
      "dense_s8 nhwc n1 in1x1x8 out1x1x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long");
  for (const char* name : {"cortex-m4", "rv32imc"}) {
    const Device device = *load_device(name);
    const Schedule schedule = *default_schedule_of(workload, device);
    KernelTemplate greedy = **find_template(schedule);
    greedy.lower = needs_too_many_registers;
    for (const Emit kind : {Emit::kObject, Emit::kAssembly}) {
      const auto kernel = compile_kernel(greedy, workload, schedule, device, "kernel", kind);
      ASSERT_FALSE(kernel) << name;
      EXPECT_EQ(kernel.error().code(), ErrorCode::kFailed);
      EXPECT_THAT(kernel.error().message(), testing::HasSubstr("more registers than available"));
    }
  }
}

}  // namespace
}  // namespace tinytune
