// One operator, as a compiler hands it over: tuned, built, and called from the user's C.
#include <gtest/gtest.h>

#include <atomic>

#include "base/files.h"
#include "deploy/model/model_state.h"
#include "tests/api/cross_program.h"
#include "tests/api/scratch_folder.h"
#include "tinytune/tinytune.h"

namespace tinytune::test {
namespace {

class WorkloadApi : public ScratchFolder {
 protected:
  TuneOptions few_trials(uint64_t trials) {
    TuneOptions options;
    options.records = path("ops.jsonl");
    options.trials = trials;
    options.worker_program = TINYTUNE_BINARY_DIR "/tune";
    return options;
  }

  TunedKernel kernel_of(const Layer& layer, const std::string& device, bool tuned) {
    KernelOptions options;
    options.symbol = "my_kernel";
    if (tuned) options.records = path("ops.jsonl");
    auto kernel = compile_workload(layer, device, options);
    EXPECT_TRUE(kernel) << kernel.error().message();
    return *kernel;
  }

  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(write_file(path(name), text));
  }

  /// Writes a C file with the generated input, the reference's output, and a function that counts
  /// the bytes in which the kernel's output differs.
  void write_caller(const Layer& layer, const TunedKernel& kernel) {
    const auto inputs = generate_inputs(layer.model(), 5);
    ASSERT_TRUE(inputs);
    const auto reference = layer.model().state().reference(*inputs);
    ASSERT_TRUE(reference) << reference.error().message();
    const auto array = [](const char* name, const std::vector<uint8_t>& bytes) {
      std::string text = std::string("static _Alignas(8) const int8_t ") + name + "[] = {";
      for (const uint8_t byte : bytes) text += std::to_string(static_cast<int8_t>(byte)) + ",";
      return text + "};\n";
    };
    write("caller.c", "#include \"my_kernel.h\"\n" + array("input", (*inputs)[0]) +
                          array("expected", (*reference)[1]) +
                          "static _Alignas(8) int8_t output[MY_KERNEL_OUTPUT_BYTES];\n"
                          "static _Alignas(8) char scratch[MY_KERNEL_SCRATCH_BYTES + 8];\n"
                          "int differing(void) {\n"
                          "  int count = 0;\n"
                          "  my_kernel_run(input, scratch, output);\n"
                          "  for (unsigned i = 0; i < MY_KERNEL_OUTPUT_BYTES; ++i)\n"
                          "    count += output[i] != expected[i];\n"
                          "  return count;\n"
                          "}\n");
    write("my_kernel.h", kernel.header);
    write("my_kernel.c", kernel.source);
    write("my_kernel.S", kernel.assembly);
    write("my_kernel.o", text_of(kernel.object));
    write("my_kernel.ll", kernel.llvm_ir);
  }

  void expect_exact(const std::string& device, const std::string& code) {
    const auto differing =
        call_on(device, folder_.string(), {"caller.c", "my_kernel.c", code}, "differing");
    ASSERT_TRUE(differing) << differing.error().message();
    EXPECT_EQ(*differing, 0) << device << " " << code;
  }
};

TEST_F(WorkloadApi, TunedKernel_IsExactWhenCalledFromC) {
  for (const char* text :
       {"conv2d 3x3 8->12 in9x7 s2", "depthwise 3x3 16->16 @6x5", "dense 64->10"})
    for (const char* device : {"rv32imc", "cortex-m4"}) {
      const auto layer = Layer::describe(text);
      ASSERT_TRUE(layer) << layer.error().message();
      const auto report = tune_workload(*layer, device, few_trials(3));
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->measured, 3u);
      const TunedKernel kernel = kernel_of(*layer, device, true);
      EXPECT_TRUE(kernel.tuned);
      EXPECT_EQ(kernel.cycles, report->best_cycles);
      EXPECT_EQ(kernel.workload, layer->workload());
      write_caller(*layer, kernel);
      expect_exact(device, "my_kernel.S");
      expect_exact(device, "my_kernel.o");
      if (std::string(device) == "rv32imc") expect_exact(device, "my_kernel.ll");
    }
}

TEST_F(WorkloadApi, ConstantsOfACompiler_AreWhatTheKernelComputesWith) {
  LayerOptions options;
  options.constants.emplace();
  LayerConstants& constants = *options.constants;
  for (int i = 0; i < 16 * 4; ++i) constants.weights.push_back(static_cast<int8_t>(i * 37 % 251));
  for (int i = 0; i < 4; ++i) constants.bias.push_back(100 * i);
  for (const double scale : {0.004, 0.002, 0.0031, 0.009}) {
    const FixedPoint fixed = *fixed_point(scale);
    constants.multiplier.push_back(fixed.multiplier);
    constants.shift.push_back(fixed.shift);
  }
  const auto layer = Layer::describe("conv2d 1x1 16->4 in4x4 zp3,-7", options);
  ASSERT_TRUE(layer) << layer.error().message();
  // Without a log the kernel has the default schedule.
  const TunedKernel kernel = kernel_of(*layer, "rv32imc", false);
  EXPECT_FALSE(kernel.tuned);
  EXPECT_FALSE(kernel.cycles);
  write_caller(*layer, kernel);
  expect_exact("rv32imc", "my_kernel.S");
}

TEST_F(WorkloadApi, RecordsOfStatedFacts_ServeALayerThatHasThem) {
  const auto known = Layer::describe("dense 64->10");
  ASSERT_TRUE(known);
  const auto stated = Layer::describe(known->workload(), {.constants = {}, .seed = 9});
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_EQ(stated->workload(), known->workload());
  ASSERT_TRUE(tune_workload(*stated, "rv32imc", few_trials(3)));
  const TunedKernel kernel = kernel_of(*known, "rv32imc", true);
  EXPECT_TRUE(kernel.tuned);
  write_caller(*known, kernel);
  expect_exact("rv32imc", "my_kernel.S");
}

TEST_F(WorkloadApi, LayerAlone_IsANetworkThatCanBeRunAndVerified) {
  const auto layer = Layer::describe("conv2d 3x3 4->6 in6x6");
  ASSERT_TRUE(layer);
  RunOptions run;
  run.verify = true;
  const auto report = run_model(layer->model(), "esp32c3", run);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->exact, true);
  EXPECT_EQ(report->layers.size(), 1u);
}

TEST_F(WorkloadApi, Cancel_EndsTheRunAndKeepsTheLog) {
  std::atomic<bool> cancel{false};
  TuneOptions options = few_trials(1000);
  options.cancel = &cancel;
  options.on_progress = [&](const TuneProgress& progress) {
    if (progress.trials >= 2) cancel = true;
  };
  const auto report = tune_workload(*Layer::describe("conv2d 3x3 8->8 in8"), "rv32imc", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kInterrupted);
  EXPECT_TRUE(kernel_of(*Layer::describe("conv2d 3x3 8->8 in8"), "rv32imc", true).tuned);
}

TEST_F(WorkloadApi, WrongArguments_AreErrorsThatNameThem) {
  const auto code_of = [](const auto& result) { return result.error().code(); };
  EXPECT_EQ(code_of(Layer::describe("svdf 3x3")), ErrorCode::kInvalidInput);
  LayerOptions options;
  options.constants.emplace();
  EXPECT_EQ(code_of(Layer::describe("dense 4->4", options)), ErrorCode::kInvalidInput);
  const Layer layer = *Layer::describe("dense 4->4");
  EXPECT_EQ(code_of(compile_workload(layer, "toaster")), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(compile_workload(layer, "rv32imc", {.symbol = "4u"})),
            ErrorCode::kInvalidInput);
  KernelOptions wrong;
  wrong.schedule = "direct_nhwc/1 oc=999";
  EXPECT_EQ(code_of(compile_workload(layer, "rv32imc", wrong)), ErrorCode::kUnsupported);
  EXPECT_FALSE(fixed_point(-1));
}

}  // namespace
}  // namespace tinytune::test
