// Devices that are programs of this machine: the machine itself, and a core in QEMU. Kernels are
// built by the device's own compiler; every failure of one is reported as what it is.
#include <gtest/gtest.h>

#include "base/subprocess.h"
#include "codegen/kernels/c_compiler.h"
#include "measure/builder.h"
#include "measure/runner.h"
#include "rpc_device/boards/open_board.h"
#include "tests/measure/dense_task.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

/// The dense layer of dense_task.h with a scale of one; `wrong` is a faulty statement in it.
std::string dense_source(const std::string& wrong) {
  return R"(#include <stdint.h>
void kernel(const int8_t *in, const int8_t *w, const int32_t *bias, int8_t *out);
void kernel(const int8_t *in, const int8_t *w, const int32_t *bias, int8_t *out) {
  for (int o = 0; o < 7; ++o) {
    int32_t sum = bias[o];
    for (int i = 0; i < 10; ++i) sum += (in[i] + 3) * w[10 * o + i];
    sum -= 5;
    out[o] = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);
  }
  )" + wrong +
         "\n}\n";
}

class ProgramBoard : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const BoardAddress address = parse_board_address(GetParam()).value();
    EXPECT_TRUE(address.is_program());
    device_ = load_device(address.device).value();
    const auto there = run_process({device_.target.compiler, "--version"}, std::chrono::minutes(1));
    if (!there) GTEST_SKIP() << device_.target.compiler << " is not installed";
    auto board = open_board(address, device_);
    if (!board && board.error().code() == ErrorCode::kNotFound)
      GTEST_SKIP() << board.error().message();
    ASSERT_TRUE(board) << board.error().message();
    board_ = std::move(*board);
  }

  BuiltKernel dense(const std::string& wrong) {
    const auto object = compile_text(dense_source(wrong), device_);
    EXPECT_TRUE(object) << object.error().message();
    const auto image = link_image(std::span(&*object, 1), device_, kKernelSymbol);
    EXPECT_TRUE(image) << image.error().message();
    const LayerData data = dense_constants();
    const auto* weights = reinterpret_cast<const uint8_t*>(data.weights.data());
    const auto* bias = reinterpret_cast<const uint8_t*>(data.bias.data());
    BuiltKernel kernel;
    kernel.elf = image->elf;
    kernel.constants = {{"weights", 1, {weights, weights + 70}}, {"bias", 4, {bias, bias + 28}}};
    return kernel;
  }

  MeasureResult run(const BuiltKernel& kernel, const TaskData& task, int repeats = 1) {
    MeasureLimits limits;
    limits.repeats = repeats;
    const auto ran = run_candidate(*board_, kernel, task, limits);
    EXPECT_TRUE(ran) << ran.error().message();
    return ran ? ran->result : MeasureResult{};
  }

  Device device_;
  std::unique_ptr<Board> board_;
};

TEST_P(ProgramBoard, Kernel_IsRightAndCounted) {
  const MeasureResult result = run(dense(""), dense_task(), 3);
  ASSERT_EQ(result.outcome, Outcome::kOk) << result.detail;
  EXPECT_EQ(result.fidelity, Fidelity::kBoard);
  ASSERT_GE(result.cycles.size(), 3u);
  for (const uint64_t cycles : result.cycles) EXPECT_GT(cycles, 0u);
}

TEST_P(ProgramBoard, KernelsThatMisbehave_AreOutcomesAndTheNextOneIsNotHurt) {
  const struct {
    const char* wrong;
    Outcome outcome;
  } cases[] = {{"out[3] ^= 1;", Outcome::kWrongOutput},
               {"*(int8_t *)(uintptr_t)w = (int8_t)(w[0] ^ 1);", Outcome::kCrashed},
               {"*(volatile int32_t *)(uintptr_t)0xF0000000u = 1;", Outcome::kCrashed},
               {"__builtin_trap();", Outcome::kCrashed}};
  for (const auto& [wrong, outcome] : cases) {
    const MeasureResult result = run(dense(wrong), dense_task());
    EXPECT_EQ(result.outcome, outcome) << wrong << ": " << result.detail;
    const MeasureResult next = run(dense(""), dense_task());
    EXPECT_EQ(next.outcome, Outcome::kOk) << "after " << wrong << ": " << next.detail;
  }
}

TEST_P(ProgramBoard, EveryTemplatesDefault_PrintedAsC_IsExact) {
  const TaskData task = small_conv_task();
  const std::vector<Schedule> defaults = default_schedules_of(task.workload, device_);
  EXPECT_GE(defaults.size(), 2u);
  for (const Schedule& schedule : defaults) {
    std::vector<uint8_t> bitcode;
    const auto lowered = lower_kernel(task.workload, schedule, device_, kKernelSymbol);
    ASSERT_TRUE(lowered) << lowered.error().message();
    const auto compiled = emit_kernel(*lowered, schedule, device_, kKernelSymbol, Emit::kObject);
    ASSERT_TRUE(compiled) << to_text(schedule) << ": " << compiled.error().message();
    const auto image = link_image(std::span(&compiled->object, 1), device_, kKernelSymbol);
    ASSERT_TRUE(image) << image.error().message();
    const KernelTemplate& t = **find_template(schedule);
    BuiltKernel kernel;
    kernel.elf = image->elf;
    kernel.constants = t.pack(task.workload, task.data, schedule).value();
    kernel.scratch_bytes = t.scratch_bytes(task.workload, schedule);
    const MeasureResult result = run(kernel, task);
    EXPECT_EQ(result.outcome, Outcome::kOk) << to_text(schedule) << ": " << result.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ProgramBoard, testing::Values("host", "esp8266"));

TEST(ProgramBoards, QemuCountsInstructions_TheSameEachTime) {
  const Device device = load_device("esp8266").value();
  if (!run_process({device.target.compiler, "--version"}, std::chrono::minutes(1)))
    GTEST_SKIP() << device.target.compiler << " is not installed";
  const auto board = open_board(parse_board_address("esp8266").value(), device);
  ASSERT_TRUE(board) << board.error().message();
  // Three instructions including the return; then a hundred more.
  const auto cycles = [&](const std::string& more) {
    const auto object = compile_text(
        "__asm__(\".text\\n.global kernel\\n.type kernel,@function\\n"
        "kernel:\\n movi a2, 0\\n movi a2, 0\\n" +
            more + " ret\\n\");\n",
        device);
    EXPECT_TRUE(object) << object.error().message();
    const auto image = link_image(std::span(&*object, 1), device, kKernelSymbol);
    EXPECT_TRUE(image) << image.error().message();
    EXPECT_EQ((*board)->load({image->elf, kKernelSymbol, {{BufferRole::kOutput, 4, 4, {}}}})->end,
              LoadEnd::kLoaded);
    RunRequest request;
    request.repeats = 2;
    const auto report = (*board)->run(request).value();
    EXPECT_EQ(report.end, RunEnd::kReturned) << report.detail;
    EXPECT_EQ(report.samples.at(0).cycles, report.samples.at(1).cycles);
    return report.samples.at(0).cycles;
  };
  EXPECT_EQ(cycles(""), 3u);
  EXPECT_EQ(cycles(".rept 100\\n or a2, a2, a2\\n .endr\\n"), 103u);
}

TEST(ProgramBoards, DeviceWithoutAWayToRun_SaysSo) {
  const Device device = load_device("esp32").value();
  const auto board = open_board(parse_board_address("esp32").value(), device);
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().message(),
            "esp32 has no simulator; --device host runs its C on this machine");
}

}  // namespace
}  // namespace tinytune
