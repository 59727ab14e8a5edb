#include "records/records.h"

#include <gtest/gtest.h>

#include "tests/records/sample.h"

namespace tinytune {
namespace {

const auto kCurrent = [](const std::string&, const Schedule& s) { return s.version() == 1; };

TEST(Records, OtherDeviceOrVersion_AreSetAsideAndCounted) {
  std::vector<Measurement> log = {sample(0), sample(1), sample(2), sample(3)};
  log[1].device_hash = 5;
  log[2].schedule = "dense/2 oc=4";
  log[3].schedule = "not a schedule at all /";
  const Records records(log, {sample().device_hash}, kCurrent);
  EXPECT_EQ(records.all().size(), 1u);
  EXPECT_EQ(records.other_device(), 1u);
  EXPECT_EQ(records.other_version(), 2u);
  EXPECT_EQ(records.ignored_message(),
            "1 record of another device file, 2 of another space version ignored");
  EXPECT_EQ(Records({log[0]}, {sample().device_hash}, kCurrent).ignored_message(), "");
}

TEST(Records, Best_IsTheFewestCyclesAmongOkOnes) {
  std::vector<Measurement> log = {sample(0), sample(3), sample(6), sample(9)};
  log[0].cycles = {500};
  log[1].cycles = {300};
  log[2].cycles = {300};
  log[3].outcome = Outcome::kWrongOutput;
  log[3].cycles = {};
  const Records records(log, {sample().device_hash}, kCurrent);
  const Measurement* best = records.best(sample(0).workload);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->schedule, sample(3).schedule);
  EXPECT_EQ(records.best("another workload"), nullptr);
  EXPECT_EQ(records.tally(sample(0).workload).trials, 4u);
  EXPECT_EQ(records.tally(sample(0).workload).valid, 3u);
  EXPECT_EQ(records.tally("another workload").trials, 0u);
}

TEST(Records, RepeatedPairOfJoinedLogs_CountsOnceAndFirst) {
  std::vector<Measurement> log = {sample(0), sample(0)};
  log[1].cycles = {1};
  const Records records(log, {sample().device_hash}, kCurrent);
  ASSERT_EQ(records.all().size(), 1u);
  EXPECT_EQ(records.of(sample(0).workload).size(), 1u);
  EXPECT_EQ(records.find(sample(0).workload, sample(0).schedule)->cycles, sample(0).cycles);
  EXPECT_EQ(records.find(sample(0).workload, "dense/1 oc=99"), nullptr);
}

TEST(Records, FailedBuilds_BelongToEveryScope) {
  std::vector<Measurement> log = {sample(0)};
  log[0].outcome = Outcome::kBuildFailed;
  log[0].cycles = {};
  log[0].fidelity = Fidelity::kBuild;
  for (const Fidelity fidelity : {Fidelity::kSimulate, Fidelity::kBoard})
    EXPECT_EQ(Records(log, {sample().device_hash, fidelity}, kCurrent).all().size(), 1u);
}

TEST(Records, EarlyLost_GivesWayToALaterResult) {
  std::vector<Measurement> log = {sample(0), sample(0), sample(0)};
  log[0].outcome = Outcome::kLost;
  log[0].cycles = {};
  log[2].outcome = Outcome::kLost;
  log[2].cycles = {};
  const Records records(log, {sample().device_hash}, kCurrent);
  ASSERT_EQ(records.all().size(), 1u);
  ASSERT_NE(records.best(sample(0).workload), nullptr);
  EXPECT_EQ(records.find(sample(0).workload, sample(0).schedule)->outcome, Outcome::kOk);
  EXPECT_EQ(records.tally(sample(0).workload).trials, 1u);
  EXPECT_EQ(records.tally(sample(0).workload).valid, 1u);
}

TEST(Records, BoardAndSimulator_NeverStandInOneRanking) {
  std::vector<Measurement> log = {sample(0), sample(3)};
  log[1].fidelity = Fidelity::kBoard;
  log[1].source = "esp32c3-7cdfa1";
  log[1].cycles = {1};
  const uint64_t device = sample().device_hash;
  const Records simulated(log, {device}, kCurrent);
  EXPECT_EQ(simulated.best(sample(0).workload)->cycles, sample(0).cycles);
  EXPECT_EQ(simulated.ignored_message(), "1 record of another kind of measuring ignored");
  const Records real(log, {device, Fidelity::kBoard}, kCurrent);
  EXPECT_EQ(real.best(sample(0).workload)->cycles, log[1].cycles);
}

}  // namespace
}  // namespace tinytune
