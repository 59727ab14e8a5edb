#include "rpc_device/fleet/protocol.h"

#include <gtest/gtest.h>

#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/tuner.pb.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

TEST(Protocol, TaskData_SurvivesTheWire) {
  TaskData task = small_conv_task();
  task.data.bias[0] = INT32_MIN;
  task.data.shift[1] = -31;
  const std::string bytes = to_wire(task);
  const rpc::TaskHead head = head_of(task, bytes.size());
  EXPECT_LE(bytes.size(), largest_task(task.workload).value());
  const auto back = task_from_wire(head, bytes);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->workload, task.workload);
  EXPECT_EQ(back->data, task.data);
  EXPECT_EQ(id_of(*back), id_of(task));
}

TEST(Protocol, DamagedTaskData_IsRefused) {
  const TaskData task = small_conv_task();
  std::string bytes = to_wire(task);
  rpc::TaskHead head = head_of(task, bytes.size());
  EXPECT_TRUE(task_from_wire(head, bytes));
  bytes[10] ^= 1;
  EXPECT_FALSE(task_from_wire(head, bytes));
  EXPECT_FALSE(task_from_wire(head, "nonsense"));
  head.set_workload("nonsense");
  EXPECT_FALSE(task_from_wire(head, to_wire(task)));
}

TEST(Protocol, Image_SurvivesTheWire) {
  const BuiltKernel kernel{{1, 2, 0, 255}, "kernel", {{"bias", 4, {1, 2, 3, 4}}}, 96, {11, 22}};
  const auto back = image_from_wire(to_wire(kernel));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->elf, kernel.elf);
  EXPECT_EQ(back->symbol, "kernel");
  ASSERT_EQ(back->constants.size(), 1u);
  EXPECT_EQ(back->constants[0].element_bytes, 4);
  EXPECT_EQ(back->constants[0].bytes, kernel.constants[0].bytes);
  EXPECT_EQ(back->scratch_bytes, 96);
  EXPECT_EQ(back->code, kernel.code);
  EXPECT_EQ(back->image(), kernel.image());
}

TEST(Protocol, ImageOfNoKernel_IsRefused) {
  BuiltKernel kernel{{1}, "kernel", {{"bias", 3, {1, 2, 3}}}, 0, {}};
  EXPECT_FALSE(image_from_wire(to_wire(kernel))) << "elements of three bytes";
  kernel.constants = {{"bias", 4, {1, 2, 3}}};
  EXPECT_FALSE(image_from_wire(to_wire(kernel))) << "three bytes of elements of four";
  EXPECT_FALSE(image_from_wire("nonsense"));
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
    result.code.code_bytes = 6;
    result.ram_bytes = 7;
    result.times = {1, 2, 3, 4, 5};
    result.fidelity = Fidelity::kBoard;
    result.image = "abc";
    result.code.constant_bytes = 8;
    const rpc::Finished message = to_message(result, 99);
    EXPECT_EQ(message.ticket(), 99u);
    const auto back = from_message(message);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->outcome, outcome);
    EXPECT_EQ(back->detail, "why");
    EXPECT_EQ(back->cycles, result.cycles);
    EXPECT_EQ(back->instructions, 5u);
    EXPECT_EQ(back->code, (CodeFacts{6, 8}));
    EXPECT_EQ(back->fidelity, Fidelity::kBoard);
    EXPECT_EQ(back->image, "abc");
    EXPECT_EQ(back->ram_bytes, 7u);
    EXPECT_EQ(back->times.verify_ms, 5);
  }
  rpc::Finished unknown;
  unknown.set_outcome("splendid");
  EXPECT_FALSE(from_message(unknown));
}

TEST(Protocol, Limits_SurviveTheWire) {
  const MeasureLimits limits{1, 2, 3, 4, 5};
  const MeasureLimits back = from_message(to_message(limits));
  EXPECT_EQ(back.build_cpu_ms, 1);
  EXPECT_EQ(back.build_memory_bytes, 2u);
  EXPECT_EQ(back.run_cycles, 3u);
  EXPECT_EQ(back.run_ms, 4u);
  EXPECT_EQ(back.repeats, 5);
}

}  // namespace
}  // namespace tinytune
