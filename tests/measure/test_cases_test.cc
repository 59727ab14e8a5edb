#include "measure/test_cases.h"

#include <gtest/gtest.h>

#include <set>

#include "schedules/requantise.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

TEST(TestCases, Seed_DecidesTheRandomCaseAndNothingElse) {
  const TaskData task = small_conv_task();
  const TaskData same = make_task_data(task.workload, task.data, 1);
  const TaskData other = make_task_data(task.workload, task.data, 2);
  EXPECT_EQ(task.digest(), same.digest());
  EXPECT_NE(task.digest(), other.digest());
  EXPECT_NE(task.cases[0].input, other.cases[0].input);
  for (size_t i = 1; i < task.cases.size(); ++i)
    EXPECT_EQ(task.cases[i].expected, other.cases[i].expected) << task.cases[i].name;
}

TEST(TestCases, Digest_DependsOnEveryPart) {
  std::set<Digest> digests;
  const TaskData task = small_conv_task();
  digests.insert(task.digest());
  const auto changed = [&](auto change) {
    TaskData copy = task;
    change(copy);
    digests.insert(copy.digest());
  };
  changed([](TaskData& t) { t.workload.stride_h = 2; });
  changed([](TaskData& t) { t.data.weights[0] ^= 1; });
  changed([](TaskData& t) { t.data.bias[0] ^= 1; });
  changed([](TaskData& t) { t.data.multiplier[0] ^= 1; });
  changed([](TaskData& t) { t.data.shift[0] ^= 1; });
  changed([](TaskData& t) { t.cases[1].input.fill ^= 1; });
  changed([](TaskData& t) { t.cases[0].input.seed ^= 1; });
  changed([](TaskData& t) { t.cases[4].input.bytes[0] ^= 1; });
  changed([](TaskData& t) { t.cases[1].expected[0] ^= 1; });
  changed([](TaskData& t) { t.cases[1].name = "other"; });
  changed([](TaskData& t) { t.cases.pop_back(); });
  EXPECT_EQ(digests.size(), 12u);
}

// Returns a dense layer's accumulators for an input.
std::vector<int64_t> accumulators(const Workload& w, const LayerData& d,
                                  const std::vector<uint8_t>& input) {
  std::vector<int64_t> sums;
  for (int o = 0; o < w.out_c; ++o) {
    int64_t sum = d.bias[static_cast<size_t>(o)];
    for (int i = 0; i < w.in_c; ++i)
      sum += (static_cast<int8_t>(input[static_cast<size_t>(i)]) - w.input_zero_point) *
             int64_t{d.weights[static_cast<size_t>(o * w.in_c + i)]};
    sums.push_back(sum);
  }
  return sums;
}

TEST(TestCases, SaturatingInput_ReachesTheExactExtremesOfADenseChannel) {
  Workload w;
  w.op = OpKind::kDense;
  w.in_c = 33;
  w.out_c = 5;
  w.input_zero_point = 9;
  const LayerData data = random_constants(w, 11);
  const auto ranges = accumulator_ranges(w, data);
  EXPECT_EQ(accumulators(w, data, saturating_input(w, data, true))[0], ranges[0].high);
  EXPECT_EQ(accumulators(w, data, saturating_input(w, data, false))[0], ranges[0].low);
}

// Windows do not overlap: every channel with a window of its own is driven to its extreme.
TEST(TestCases, SaturatingInput_DrivesOneChannelPerWindowOfAConvolution) {
  Workload w;
  w.in_h = w.in_w = 9;
  w.in_c = 4;
  w.out_h = w.out_w = 3;
  w.out_c = 3;
  w.kernel_h = w.kernel_w = w.stride_h = w.stride_w = 3;
  const LayerData data = random_constants(w, 5);
  const auto ranges = accumulator_ranges(w, data);
  for (const bool high : {true, false}) {
    const auto input = saturating_input(w, data, high);
    std::set<int> driven;
    for (int oy = 0; oy < 3; ++oy)
      for (int ox = 0; ox < 3; ++ox)
        for (int oc = 0; oc < w.out_c; ++oc) {
          int64_t sum = data.bias[static_cast<size_t>(oc)];
          for (int t = 0; t < 36; ++t) {
            const int ky = t / 12, kx = t / 4 % 3, ic = t % 4;
            const auto at = static_cast<size_t>(((oy * 3 + ky) * 9 + ox * 3 + kx) * 4 + ic);
            sum += static_cast<int8_t>(input[at]) *
                   int64_t{data.weights[static_cast<size_t>(oc * 36 + t)]};
          }
          const auto& range = ranges[static_cast<size_t>(oc)];
          if (sum == (high ? range.high : range.low)) driven.insert(oc);
        }
    EXPECT_EQ(driven.size(), 3u) << (high ? "high" : "low");
  }
}

TEST(TestCases, EveryOperatorAndPadding_GetsCases) {
  for (const OpKind op : {OpKind::kConv2d, OpKind::kDepthwiseConv2d, OpKind::kDense}) {
    Workload w;
    w.op = op;
    w.in_c = 4;
    w.out_c = op == OpKind::kDepthwiseConv2d ? 8 : 6;
    if (op == OpKind::kDepthwiseConv2d) w.depth_multiplier = 2;
    if (op == OpKind::kConv2d) w.groups = 2;
    if (op != OpKind::kDense) {
      w.in_h = 5, w.in_w = 6, w.out_h = 3, w.out_w = 3;
      w.kernel_h = 4, w.kernel_w = 3, w.stride_h = w.stride_w = 2, w.pad_top = w.pad_left = 1;
      w.dilation_w = 2;
    }
    const TaskData task = make_task_data(w, random_constants(w, 2), 1);
    ASSERT_EQ(task.cases.size(), 6u);
    for (const TestCase& test : task.cases)
      EXPECT_EQ(test.expected.size(), static_cast<size_t>(w.output_bytes()));
  }
}

}  // namespace
}  // namespace tinytune
