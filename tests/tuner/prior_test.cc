#include "tuner/prior.h"

#include <algorithm>
#include <numeric>

#include "tests/tuner/session_fixture.h"
#include "tuner/search_problem.h"

namespace tinytune::test {
namespace {

constexpr const char* kLikely =
    "conv2d_s8 nhwc n1 in8x8x16 out8x8x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long";
constexpr const char* kUnlike =
    "conv2d_s8 nhwc n1 in8x8x8 out4x4x64 k3x3 s2x2 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long";

class PriorTest : public SessionTest {
 protected:
  std::string schedule_of(size_t task, size_t point) const {
    return to_text(tasks_[task].space.schedule(point));
  }

  Measurement record(const std::string& workload, const Schedule& schedule, uint64_t cycles) {
    Measurement m;
    m.device = device_.name;
    m.device_hash = device_.hash;
    m.workload = workload;
    m.schedule = to_text(schedule);
    m.outcome = Outcome::kOk;
    m.cycles = {cycles};
    return m;
  }

  /// Records of some of a workload's schedules; the one at `best` is twice as fast as any other.
  std::vector<Measurement> records_of(const std::string& text, size_t best) {
    const ConfigSpace space = space_of(*parse_workload(text), device_);
    std::vector<Measurement> records;
    for (size_t p = best % 5; p < space.size() && records.size() < 40; p += 5)
      records.push_back(record(text, space.schedule(p), p == best ? 1000 : 2000 + p));
    return records;
  }

  Prior prior_of(const std::vector<Measurement>& records) const {
    return Prior(records, tasks_, kRun, device_);
  }

  static constexpr const char* kRun = "a run";
};

TEST_F(PriorTest, WhatWonElsewhere_IsProposedBehindTheDefault) {
  const auto prior = std::make_shared<const Prior>(prior_of(records_of(kLikely, 15)));
  auto trajectory = Trajectory::create(tasks_, device_, RunSettings{}, prior);
  std::vector<std::string> proposals;
  while (proposals.size() < 2) {
    const auto trial = trajectory->propose();
    if (trial->task == 0) proposals.push_back(schedule_of(0, trial->proposal.point));
  }
  EXPECT_EQ(proposals[0], schedule_of(0, tasks_[0].default_point));
  EXPECT_EQ(proposals[1], to_text(space_of(*parse_workload(kLikely), device_).schedule(15)));
}

TEST_F(PriorTest, RecordsOfTheRunsOwnTasks_AreHistoryAndNotToldTwice) {
  EXPECT_EQ(prior_of(records_of(tasks_[0].workload, 15)).used(), 0u);
  EXPECT_EQ(prior_of(records_of(kLikely, 15)).used(), 40u);
}

TEST_F(PriorTest, RecordsBehindTheRunsFirst_AreNotTold) {
  auto records = records_of(kLikely, 15);
  records.push_back(record(tasks_[0].workload, tasks_[0].space.schedule(0), 1000));
  records.back().run = kRun;
  const auto later = records_of(kUnlike, 10);
  records.insert(records.end(), later.begin(), later.end());
  EXPECT_EQ(prior_of(records).workloads(), 1u);
}

TEST_F(PriorTest, WorkloadOfWhichNothingRan_IsPassedOver) {
  auto records = records_of(kLikely, 15);
  for (Measurement& m : records) {
    m.outcome = Outcome::kBuildFailed;
    m.cycles.clear();
  }
  EXPECT_EQ(prior_of(records).used(), 0u);
}

TEST_F(PriorTest, MoreRecordsThanAreTold_KeepTheBest) {
  const ConfigSpace space = space_of(*parse_workload(kLikely), device_);
  std::vector<Measurement> records;
  for (size_t p = 0; p < space.size(); ++p)
    records.push_back(record(kLikely, space.schedule(p), p == 7 ? 1000 : 2000 + p));
  ASSERT_GT(records.size(), Prior::kMostRows);
  const Prior prior = prior_of(records);
  EXPECT_LE(prior.used(), Prior::kMostRows + 1);
  SharedModel model(1);
  prior.teach(model);
  const ConfigSpace same = space_of(*parse_workload(kLikely), device_);
  const size_t task = model.add_task(problem_of(*parse_workload(kLikely), same, device_));
  std::vector<size_t> every(same.size());
  std::iota(every.begin(), every.end(), size_t{0});
  const std::vector<float> hints = model.hints(task, every);
  EXPECT_EQ(std::max_element(hints.begin(), hints.end()) - hints.begin(), 7);
}

}  // namespace
}  // namespace tinytune::test
