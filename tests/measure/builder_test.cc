#include "measure/builder.h"

#include <gtest/gtest.h>

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
  const auto first = builder_.build(task.workload, schedule, {});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->outcome, Outcome::kOk) << first->detail;
  EXPECT_GT(first->image.elf.size(), 0u);
  EXPECT_GT(first->image.code_bytes, 0u);
  EXPECT_GT(first->times.llvm_ms, 0);
  const auto second = builder_.build(task.workload, schedule, {});
  ASSERT_TRUE(second);
  EXPECT_EQ(first->image.elf, second->image.elf);
}

TEST_F(BuilderTest, UnknownTemplate_IsABuildFailure) {
  const auto report = builder_.build(small_conv_task().workload, Schedule("nothing", 1, {}), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kBuildFailed);
  EXPECT_NE(report->detail.find("nothing/1"), std::string::npos) << report->detail;
}

TEST_F(BuilderTest, NoTime_IsABuildTimeout) {
  const TaskData task = small_conv_task();
  const auto report =
      builder_.build(task.workload, default_schedule_of(task.workload, device_).value(),
                     MeasureLimits{.build_timeout_ms = 1});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kBuildTimeout) << report->detail;
}

TEST_F(BuilderTest, NoMemory_IsABuildFailure) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs an unlimited address space";
#endif
  const TaskData task = small_conv_task();
  const auto report =
      builder_.build(task.workload, default_schedule_of(task.workload, device_).value(),
                     MeasureLimits{.build_memory_bytes = 64 << 10});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kBuildFailed) << report->detail;
}

TEST(Builder, CodeMemoryTooSmall_DoesNotFit) {
  Device device = load_device("esp32c3").value();
  for (MemoryRegion& memory : device.memories)
    if (memory.name == device.code_memory || memory.name == device.fast_code_memory)
      memory.size_bytes = 64;
  Builder builder = Builder::start(device).value();
  const TaskData task = small_conv_task();
  const auto report =
      builder.build(task.workload, default_schedule_of(task.workload, device).value(), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kDoesNotFit) << report->detail;
}

TEST(Builder, KernelTooLargeForFastMemory_RunsFromFlash) {
  Device device = load_device("esp32c3").value();
  for (MemoryRegion& memory : device.memories)
    if (memory.name == device.fast_code_memory) memory.size_bytes = 64;
  Builder builder = Builder::start(device).value();
  const TaskData task = small_conv_task();
  const auto report =
      builder.build(task.workload, default_schedule_of(task.workload, device).value(), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kOk) << report->detail;
}

}  // namespace
}  // namespace tinytune
