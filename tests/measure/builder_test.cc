#include "measure/builder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "tests/measure/processes.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

class BuilderTest : public testing::Test {
 protected:
  BuilderTest()
      : device_(load_device("esp32c3").value()), builder_(Builder::start(device_).value()) {}
  Device device_;
  Builder builder_;
};

TEST_F(BuilderTest, DefaultSchedule_GivesAnImageTwiceTheSame) {
  const TaskData task = small_conv_task();
  const Schedule schedule = default_schedule_of(task.workload, device_).value();
  const auto first = builder_.build(task, schedule, {});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->outcome, Outcome::kOk) << first->detail;
  EXPECT_GT(first->kernel.elf.size(), 0u);
  EXPECT_GT(first->kernel.code.code_bytes, 0u);
  EXPECT_GT(first->times.llvm_ms, 0);
  const auto second = builder_.build(task, schedule, {});
  ASSERT_TRUE(second);
  EXPECT_EQ(first->kernel.image(), second->kernel.image());
}

// Kernels of every scheduler: lowered alone, and with the lowering of a sibling built before.
TEST_F(BuilderTest, SiblingThatIsLoweredAlready_GivesTheSameImageAndNeedsNoLowering) {
  const TaskData task = small_conv_task();
  const Schedule first = default_schedule_of(task.workload, device_).value();
  for (const char* scheduler : {"source", "pressure", "ilp"}) {
    const Schedule schedule =
        parse_schedule(common_schedule(first) + " sched=" + scheduler).value();
    Builder fresh = Builder::start(device_).value();
    const auto alone = fresh.build(task, schedule, {});
    ASSERT_TRUE(builder_.build(task, first, {}));
    const auto sibling = builder_.build(task, schedule, {});
    ASSERT_TRUE(alone && sibling);
    EXPECT_EQ(alone->kernel.image(), sibling->kernel.image()) << scheduler;
    EXPECT_GT(alone->times.lower_ms, 0);
    EXPECT_EQ(sibling->times.lower_ms, 0);
  }
}

// Halide's name counter goes on across builds, and these kernels' operands are ordered by name.
TEST(Builder, WhatWasBuiltBefore_ChangesNoKernel) {
  TaskData task;
  task.workload = parse_workload(
                      "depthwise_conv2d_s8 nhwc n1 in12x12x60 out6x6x60 k3x3 s2x2 d1x1 p0,0 g1 m1 "
                      "zp-128,-128 act-128,127 lane2 fused")
                      .value();
  task.data = random_constants(task.workload, 1);
  const Device device = load_device("cortex-m4").value();
  std::vector<Schedule> schedules;
  for (const char* pixels : {"2", "3", "6", "4", "5"})
    schedules.push_back(parse_schedule("depthwise_nhwc/1 ch=1 px=" + std::string(pixels) +
                                       " py=1 taps=columns order=pixels_outer inside=filter "
                                       "border=test sched=source")
                            .value());
  Builder one = Builder::start(device).value();
  for (const Schedule& schedule : schedules) {
    Builder fresh = Builder::start(device).value();
    const auto alone = fresh.build(task, schedule, {}), behind = one.build(task, schedule, {});
    ASSERT_TRUE(alone && behind);
    ASSERT_EQ(alone->outcome, Outcome::kOk) << alone->detail;
    EXPECT_EQ(alone->kernel.image(), behind->kernel.image()) << to_text(schedule);
  }
}

TEST_F(BuilderTest, UnknownTemplate_IsABuildFailure) {
  const auto report = builder_.build(small_conv_task(), Schedule("nothing", 1, {}), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kBuildFailed);
  EXPECT_NE(report->detail.find("nothing/1"), std::string::npos) << report->detail;
}

TEST_F(BuilderTest, NoProcessorTime_IsABuildTimeout) {
  const TaskData task = small_conv_task();
  const auto report = builder_.build(task, default_schedule_of(task.workload, device_).value(),
                                     MeasureLimits{.build_cpu_ms = 1});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kBuildTimeout) << report->detail;
}

TEST_F(BuilderTest, NoMemory_IsABuildFailure) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs an unlimited address space";
#endif
  const TaskData task = small_conv_task();
  // Heavily unrolled: it needs more than the heap that servers inherit from earlier tests.
  const Schedule large = parse_schedule(
                             "direct_nhwc/1 oc=6 px=5 ku=1 reduce=taps rows=unrolled "
                             "order=pixels_outer inside=tile border=test sched=source")
                             .value();
  const auto report = builder_.build(task, large, MeasureLimits{.build_memory_bytes = 64 << 10});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kBuildFailed) << report->detail;
}

TEST_F(BuilderTest, BuildThatSomebodyKills_IsTriedAgain) {
  const TaskData task = small_conv_task();
  const Schedule schedule = default_schedule_of(task.workload, device_).value();
  for (const int signal : {SIGKILL, SIGTERM}) {
    const Killer killer(builder_.server_pid(), signal, 1);
    const auto report = builder_.build(task, schedule, {});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->outcome, Outcome::kOk) << report->detail;
    EXPECT_EQ(killer.killed(), 1);
  }
}

TEST_F(BuilderTest, BuildThatSomebodyKillsEachTime_IsLostAndNotAFailure) {
  const TaskData task = small_conv_task();
  const Killer killer(builder_.server_pid(), SIGKILL, 1000);
  const auto report = builder_.build(task, default_schedule_of(task.workload, device_).value(), {});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->outcome, Outcome::kLost) << report->detail;
  EXPECT_EQ(killer.killed(), Builder::kTries);
}

// Limits the server and its child, and thereby the children that it will have.
void limit_file_size(pid_t server, const rlimit& limit) {
  ASSERT_EQ(prlimit(server, RLIMIT_FSIZE, &limit, nullptr), 0);
  for (const pid_t child : children_of(server))
    ASSERT_EQ(prlimit(child, RLIMIT_FSIZE, &limit, nullptr), 0);
}

TEST_F(BuilderTest, FileSizeLimit_IsThisMachinesFaultAndMayPass) {
  const TaskData task = small_conv_task();
  const Schedule schedule = default_schedule_of(task.workload, device_).value();
  rlimit before{};
  ASSERT_EQ(prlimit(builder_.server_pid(), RLIMIT_FSIZE, nullptr, &before), 0);
  for (const rlim_t bytes : {100, 1500}) {  // too little for the linker's script; for its image
    limit_file_size(builder_.server_pid(), {bytes, before.rlim_max});
    const auto report = builder_.build(task, schedule, {});
    ASSERT_FALSE(report) << bytes << ": " << name_of(report->outcome) << " " << report->detail;
    EXPECT_EQ(report.error().code(), ErrorCode::kFailed);
    EXPECT_EQ(report.error().message().find('\n'), std::string::npos) << report.error().message();
  }
  limit_file_size(builder_.server_pid(), before);
  EXPECT_EQ(builder_.build(task, schedule, {})->outcome, Outcome::kOk);
}

TEST(Builder, NoPlaceForFiles_IsAnErrorAndNoOutcome) {
  const Device device = load_device("esp32c3").value();
  const char* set = std::getenv("TMPDIR");
  const std::string before = set != nullptr ? set : "";
  setenv("TMPDIR", "/dev/null", 1);
  Builder builder = Builder::start(device).value();
  set != nullptr ? setenv("TMPDIR", before.c_str(), 1) : unsetenv("TMPDIR");
  const TaskData task = small_conv_task();
  const auto report = builder.build(task, default_schedule_of(task.workload, device).value(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kFailed);
  EXPECT_NE(report.error().message().find("/dev/null"), std::string::npos)
      << report.error().message();
}

TEST_F(BuilderTest, BuiltKernel_SurvivesTheTripAndIsRefusedCutShort) {
  const TaskData task = small_conv_task();
  const auto report = builder_.build(task, default_schedule_of(task.workload, device_).value(), {});
  ASSERT_TRUE(report);
  const std::vector<uint8_t> bytes = to_bytes(report->kernel);
  const auto back = built_kernel_from(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->image(), report->kernel.image());
  EXPECT_EQ(back->code, report->kernel.code);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 3)
    EXPECT_FALSE(built_kernel_from(std::span(bytes).first(size))) << size;
}

TEST(Builder, CodeMemoryTooSmall_DoesNotFit) {
  Device device = load_device("esp32c3").value();
  for (MemoryRegion& memory : device.memories)
    if (memory.name == device.code_memory || memory.name == device.fast_code_memory)
      memory.size_bytes = 64;
  Builder builder = Builder::start(device).value();
  const TaskData task = small_conv_task();
  const auto report = builder.build(task, default_schedule_of(task.workload, device).value(), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kDoesNotFit) << report->detail;
}

TEST(Builder, KernelTooLargeForFastMemory_RunsFromFlash) {
  Device device = load_device("esp32c3").value();
  for (MemoryRegion& memory : device.memories)
    if (memory.name == device.fast_code_memory) memory.size_bytes = 64;
  Builder builder = Builder::start(device).value();
  const TaskData task = small_conv_task();
  const auto report = builder.build(task, default_schedule_of(task.workload, device).value(), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kOk) << report->detail;
}

}  // namespace
}  // namespace tinytune
