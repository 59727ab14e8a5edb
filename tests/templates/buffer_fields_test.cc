// Kernels get plain pointers: of Halide's buffer structs only the host pointer is ever filled in.

#include <Halide.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/kernels/kernel.h"
#include "templates/halide/images.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

const char* const kDense =
    "dense_s8 nhwc n1 in1x1x8 out1x1x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long";

enum class Bounds { kFixed, kOfTheCaller };

// Lowers a copy of the input, like a template that fixes its input's bounds, or forgets to.
template <Bounds kBounds>
Lowered lower(const Workload& w, const Schedule&, const Device& device,
              const std::string& symbol) {
  Halide::ImageParam input(Halide::Int(8), 1, "input");
  if (kBounds == Bounds::kFixed) input.dim(0).set_bounds(0, w.in_c).set_stride(1);
  Halide::Var i("i");
  Halide::Func output("output");
  output(i) = input(i);
  output.output_buffer().dim(0).set_bounds(0, w.out_c).set_stride(1);
  auto module = std::make_shared<Halide::Module>(symbol, halide_target(device));
  append_stage(*module, output, {input}, symbol + "_main");
  return {module, ""};
}

Result<CompiledKernel> compile(decltype(KernelTemplate::lower) lower) {
  const Workload workload = *parse_workload(kDense);
  const Device device = *load_device("rv32imc");
  const Schedule schedule = *default_schedule_of(workload, device);
  KernelTemplate copying = **find_template(schedule);
  copying.lower = lower;
  return compile_kernel(copying, workload, schedule, device, "kernel", Emit::kAssembly);
}

TEST(BufferFields, ATemplateThatFixesItsBounds_Compiles) {
  const auto kernel = compile(lower<Bounds::kFixed>);
  EXPECT_TRUE(kernel) << kernel.error().message();
}

TEST(BufferFields, ATemplateThatReadsWhatNobodyFills_IsRefused) {
  const auto kernel = compile(lower<Bounds::kOfTheCaller>);
  ASSERT_FALSE(kernel) << "it would compute with garbage";
  EXPECT_EQ(kernel.error().code(), ErrorCode::kFailed);
  EXPECT_THAT(kernel.error().message(), HasSubstr("of buffer 'input'"));
}

}  // namespace
}  // namespace tinytune
