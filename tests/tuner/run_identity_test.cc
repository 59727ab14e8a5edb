#include "tuner/run_identity.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

class RunIdentityTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto device = load_device("rv32imc");
    ASSERT_TRUE(device);
    device_ = *device;
    for (const char* text : {"conv2d_s8 nhwc n1 in8x8x8 out8x8x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 "
                             "act-128,127 lane1 long",
                             "dense_s8 nhwc n1 in1x1x4 out1x1x2 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 "
                             "act-128,127 lane1 long"}) {
      const auto workload = parse_workload(text);
      ASSERT_TRUE(workload);
      network_.emplace_back();
      network_.back().workload = *workload;
      network_.back().data = random_layer(*workload, Scales::kTypical, 1).data;
      network_.back().layers = {static_cast<int>(network_.size())};
    }
    tasks_ = tasks({0, 1});
  }
  std::vector<TuningTask> tasks(const std::vector<int>& selected) {
    auto made = make_tuning_tasks(network_, selected, device_);
    EXPECT_TRUE(made);
    return std::move(*made);
  }

  Device device_;
  std::vector<Task> network_;
  std::vector<TuningTask> tasks_;
};

TEST_F(RunIdentityTest, EqualRuns_AreEqual) {
  EXPECT_EQ(run_identity(tasks_, device_, {}), run_identity(tasks({0, 1}), device_, {}));
  EXPECT_EQ(run_identity(tasks_, device_, {}).size(), 32u);
}

TEST_F(RunIdentityTest, WhateverDecidesProposals_MakesAnotherRun) {
  std::set<std::string> runs = {run_identity(tasks_, device_, {})};
  const auto is_new = [&](const std::string& run) { return runs.insert(run).second; };
  EXPECT_TRUE(is_new(run_identity(tasks_, device_, {.tuner = "random"})));
  EXPECT_TRUE(is_new(run_identity(tasks_, device_, {.seed = 2})));
  EXPECT_TRUE(is_new(run_identity(tasks_, device_, {.window = 17})));
  EXPECT_TRUE(is_new(run_identity(tasks_, device_, {.fidelity = Fidelity::kBoard})));
  EXPECT_TRUE(is_new(run_identity(tasks({0}), device_, {})));
  EXPECT_TRUE(is_new(run_identity(tasks({1, 0}), device_, {})));

  auto changed = tasks({0, 1});
  changed[0].default_point = 1;
  EXPECT_TRUE(is_new(run_identity(changed, device_, {}))) << "default point";
  changed = tasks({0, 1});
  size_t dropped = 0;
  changed[0].space = changed[0].space.filtered([&](const Schedule&) { return ++dropped != 5; });
  EXPECT_TRUE(is_new(run_identity(changed, device_, {}))) << "one point less";
  network_[1].layers.push_back(9);
  EXPECT_TRUE(is_new(run_identity(tasks_, device_, {}))) << "layers weigh in the budget";
  Device other = device_;
  other.hash ^= 1;
  EXPECT_TRUE(is_new(run_identity(tasks_, other, {})));
}

}  // namespace
}  // namespace tinytune
