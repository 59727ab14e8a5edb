#include "rpc_device/protocol.h"

#include <gtest/gtest.h>

#include "rpc_device/tuner.pb.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

TEST(Protocol, TaskData_SurvivesTheWire) {
  TaskData task = small_conv_task();
  task.data.bias[0] = INT32_MIN;
  task.data.shift[1] = -31;
  rpc::TaskData read;
  ASSERT_TRUE(read.ParseFromString(to_message(task).SerializeAsString()));
  const auto back = from_message(read);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->workload, task.workload);
  EXPECT_EQ(back->data, task.data);
  EXPECT_EQ(back->hash(), task.hash());
}

TEST(Protocol, DamagedTaskData_IsRefused) {
  rpc::TaskData message = to_message(small_conv_task());
  (*message.mutable_weights())[5] ^= 1;
  EXPECT_FALSE(from_message(message));
  message = to_message(small_conv_task());
  message.set_workload("nonsense");
  EXPECT_FALSE(from_message(message));
}

TEST(Protocol, Results_SurviveTheWireWithEveryOutcome) {
  for (const Outcome outcome :
       {Outcome::kOk, Outcome::kDoesNotFit, Outcome::kBuildFailed, Outcome::kBuildTimeout,
        Outcome::kRunTimeout, Outcome::kCrashed, Outcome::kWrongOutput, Outcome::kLost}) {
    MeasureResult result;
    result.outcome = outcome;
    result.detail = "why";
    result.cycles = {3, uint64_t{1} << 40};
    result.instructions = 5;
    result.code_bytes = 6;
    result.ram_bytes = 7;
    result.times = {1, 2, 3, 4, 5};
    const rpc::Finished message = to_message(result, 99);
    EXPECT_EQ(message.ticket(), 99u);
    const auto back = from_message(message);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->outcome, outcome);
    EXPECT_EQ(back->detail, "why");
    EXPECT_EQ(back->cycles, result.cycles);
    EXPECT_EQ(back->instructions, 5u);
    EXPECT_EQ(back->code_bytes, 6u);
    EXPECT_EQ(back->ram_bytes, 7u);
    EXPECT_EQ(back->times.verify_ms, 5);
  }
  rpc::Finished unknown;
  unknown.set_outcome("splendid");
  EXPECT_FALSE(from_message(unknown));
}

TEST(Protocol, Limits_SurviveTheWire) {
  const MeasureLimits limits{1, 2, 3, 4};
  const MeasureLimits back = from_message(to_message(limits));
  EXPECT_EQ(back.build_timeout_ms, 1);
  EXPECT_EQ(back.build_memory_bytes, 2u);
  EXPECT_EQ(back.instruction_limit, 3u);
  EXPECT_EQ(back.repeats, 4);
}

}  // namespace
}  // namespace tinytune
