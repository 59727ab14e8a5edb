#include <gtest/gtest.h>

#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

TEST(CheckTask, TasksThatAreMadeHere_Pass) {
  const Status status = check_task(small_conv_task());
  EXPECT_TRUE(status) << status.error().message();
}

TEST(CheckTask, PartThatDoesNotFitTheWorkload_IsNamed) {
  const auto expect = [](const std::string& word, auto change) {
    TaskData task = small_conv_task();
    change(task);
    const Status status = check_task(task);
    ASSERT_FALSE(status) << word;
    EXPECT_EQ(status.error().code(), ErrorCode::kInvalidInput);
    EXPECT_NE(status.error().message().find(word), std::string::npos) << status.error().message();
  };
  expect("1 weights", [](TaskData& t) { t.data.weights.resize(1); });
  expect("weights", [](TaskData& t) { t.data.weights.push_back(0); });
  expect("0 biases", [](TaskData& t) { t.data.bias.clear(); });
  expect("multipliers", [](TaskData& t) { t.data.multiplier.pop_back(); });
  expect("shifts", [](TaskData& t) { t.data.shift.pop_back(); });
  expect("multiplier 7", [](TaskData& t) { t.data.multiplier[0] = 7; });
  expect("multiplier -1", [](TaskData& t) { t.data.multiplier[0] = -1; });
  expect("shift 31", [](TaskData& t) { t.data.shift[0] = 31; });
  expect("shift -32", [](TaskData& t) { t.data.shift[0] = -32; });
  expect("0 test cases", [](TaskData& t) { t.cases.clear(); });
  expect("65 test cases", [](TaskData& t) { t.cases.resize(65, t.cases[0]); });
  expect("input bytes", [](TaskData& t) { t.cases[4].input.bytes.pop_back(); });
  expect("expected bytes", [](TaskData& t) { t.cases[0].expected.push_back(0); });
  expect("name", [](TaskData& t) { t.cases[0].name = "red\x1b[31m"; });
  expect("name", [](TaskData& t) { t.cases[0].name.clear(); });
  expect("name", [](TaskData& t) { t.cases[0].name.assign(100'000, 'a'); });
  expect("int8", [](TaskData& t) { t.workload.input_zero_point = 128; });
  expect("int8", [](TaskData& t) { t.workload.activation_max = 1 << 20; });
  expect("output channels", [](TaskData& t) { t.workload.out_c = 0; });
}

TEST(CheckTask, MultiplierOfZeroAndTheExtremeShifts_Pass) {
  TaskData task = small_conv_task();
  task.data.multiplier[0] = 0;
  task.data.shift[0] = -31;
  task.data.shift[1] = 30;
  EXPECT_TRUE(check_task(task));
}

}  // namespace
}  // namespace tinytune
