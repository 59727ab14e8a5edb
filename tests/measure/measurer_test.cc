#include "measure/measurer.h"

#include <gtest/gtest.h>

#include "rpc_device/boards/simulator_board.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

// A board that counts what reaches it and otherwise forwards to the simulator.
class CountingBoard final : public Board {
 public:
  explicit CountingBoard(Board& board) : board_(board) {}
  const Device& device() const override { return board_.device(); }
  BoardIdentity identity() const override { return board_.identity(); }
  BoardCapabilities capabilities() const override { return board_.capabilities(); }
  Status keep(const Digest& digest, std::span<const uint8_t> bytes) override {
    return board_.keep(digest, bytes);
  }
  Result<LoadReport> load(const LoadRequest& request) override { return board_.load(request); }
  Result<KernelRunReport> run(const RunRequest& request) override {
    ++runs;
    if (request.watch.guard == Guard::kAtEnd) ++at_end;
    if (request.watch.guard == Guard::kAtStart) ++at_start;
    if (request.watch.accesses) ++watched;
    return board_.run(request);
  }
  Result<std::vector<uint8_t>> read_output() override {
    ++reads;
    return board_.read_output();
  }
  Status reset() override { return board_.reset(); }
  int runs = 0, at_end = 0, at_start = 0, watched = 0, reads = 0;

 private:
  Board& board_;
};

class MeasurerTest : public testing::Test {
 protected:
  MeasurerTest()
      : device_(load_device("esp32c3").value()),
        builder_(Builder::start(device_).value()),
        simulator_(SimulatorBoard::create(device_).value()),
        board_(*simulator_),
        measurer_(builder_, board_),
        task_(small_conv_task()) {}

  MeasureResult measure(const Schedule& schedule, const MeasureLimits& limits = {},
                        Fidelity stage = Fidelity::kSimulate) {
    auto result = measurer_.measure(task_, task_.digest(), {schedule, stage, limits});
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : MeasureResult{};
  }
  Schedule default_schedule() { return default_schedule_of(task_.workload, device_).value(); }

  Device device_;
  Builder builder_;
  std::unique_ptr<SimulatorBoard> simulator_;
  CountingBoard board_;
  Measurer measurer_;
  TaskData task_;
};

TEST_F(MeasurerTest, DefaultSchedule_IsOkWithCyclesAndSizes) {
  const MeasureResult result = measure(default_schedule(), {.repeats = 3});
  ASSERT_EQ(result.outcome, Outcome::kOk) << result.detail;
  ASSERT_EQ(result.cycles.size(), 3u);
  EXPECT_EQ(result.cycles[0], result.cycles[2]);
  EXPECT_GT(result.instructions, 0u);
  EXPECT_GT(result.code.code_bytes, 0u);
  EXPECT_GE(result.code.constant_bytes, static_cast<uint64_t>(task_.workload.weight_bytes()));
  EXPECT_TRUE(parse_digest(result.image)) << result.image;
  EXPECT_EQ(result.fidelity, Fidelity::kSimulate);
  EXPECT_EQ(result.source, kSimulatorSource);
  EXPECT_TRUE(result.detail.empty());
}

TEST_F(MeasurerTest, BuildStage_EndsWithCodeFactsAndWithoutTheBoard) {
  const MeasureResult result = measure(default_schedule(), {}, Fidelity::kBuild);
  EXPECT_EQ(result.outcome, Outcome::kOk) << result.detail;
  EXPECT_EQ(result.fidelity, Fidelity::kBuild);
  EXPECT_GT(result.code.code_bytes, 0u);
  EXPECT_TRUE(result.cycles.empty());
  EXPECT_EQ(board_.runs, 0);
  EXPECT_EQ(measure(default_schedule()).image, result.image);
}

TEST_F(MeasurerTest, BuildThatFails_IsReportedAtTheStageAskedFor) {
  const MeasureResult result = measure(Schedule("nothing", 1, {}));
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed);
  EXPECT_EQ(result.fidelity, Fidelity::kSimulate);
  EXPECT_TRUE(result.image.empty());
}

TEST_F(MeasurerTest, EveryCaseButTheTimedOne_RunsGuardedAndOneIsWatched) {
  measure(default_schedule());
  const int cases = static_cast<int>(task_.cases.size());
  EXPECT_EQ(board_.at_end, cases / 2);
  EXPECT_EQ(board_.at_start, (cases - 1) / 2);
  EXPECT_EQ(board_.watched, 1);
  EXPECT_EQ(board_.runs, cases);
  EXPECT_EQ(board_.reads, 0);  // equal digests need no read
}

TEST_F(MeasurerTest, SameCodeAgain_IsNotRunAgain) {
  const MeasureResult first = measure(default_schedule());
  const int runs = board_.runs;
  const MeasureResult second = measure(default_schedule());
  EXPECT_EQ(board_.runs, runs);
  EXPECT_EQ(second.outcome, first.outcome);
  EXPECT_EQ(second.cycles, first.cycles);
  EXPECT_EQ(second.code, first.code);
  EXPECT_EQ(second.image, first.image);
  EXPECT_EQ(second.times.run_ms, 0);
}

TEST_F(MeasurerTest, WrongExpectation_IsWrongOutputAndStopsAtOnce) {
  task_.cases[0].expected[17] ^= 1;
  const MeasureResult result = measure(default_schedule());
  EXPECT_EQ(result.outcome, Outcome::kWrongOutput);
  EXPECT_NE(result.detail.find("case random: byte 17 is "), std::string::npos) << result.detail;
  EXPECT_TRUE(result.cycles.empty());
  EXPECT_EQ(board_.runs, 1);
  EXPECT_EQ(board_.reads, 1);
}

TEST_F(MeasurerTest, WrongExpectationOfALaterCase_IsNamed) {
  task_.cases[4].expected[0] ^= 1;
  const MeasureResult result = measure(default_schedule());
  EXPECT_EQ(result.outcome, Outcome::kWrongOutput);
  EXPECT_NE(result.detail.find("case saturating_high"), std::string::npos) << result.detail;
}

TEST_F(MeasurerTest, CycleLimit_IsARunTimeout) {
  const uint64_t cycles = measure(default_schedule()).cycles.at(0);
  EXPECT_EQ(measure(default_schedule(), {.run_cycles = 1000}).outcome, Outcome::kRunTimeout);
  EXPECT_EQ(measure(default_schedule(), {.run_cycles = cycles - 1}).outcome, Outcome::kRunTimeout);
  EXPECT_EQ(measure(default_schedule(), {.run_cycles = cycles}).outcome, Outcome::kOk);
}

TEST_F(MeasurerTest, WholeSpaceOfASmallTask_IsValid) {
  const ConfigSpace space = space_of(task_.workload, task_.data, device_);
  ASSERT_GT(space.size(), 0u);
  Rng rng(3);
  for (int i = 0; i < 12; ++i) {
    const Schedule schedule = space.schedule(rng.below(space.size()));
    const MeasureResult result = measure(schedule);
    EXPECT_EQ(name_of(result.outcome), "ok") << to_text(schedule) << ": " << result.detail;
  }
}

TEST_F(MeasurerTest, TensorsLargerThanTheDataMemory_DoNotFit) {
  Workload w;
  w.in_h = w.in_w = w.out_h = w.out_w = 160;
  w.in_c = w.out_c = 8;
  task_.workload = w;
  task_.data = random_constants(w, 3);
  task_.workload.facts = prove_facts(w, task_.data);
  task_ = make_task_data(task_.workload, task_.data, 1);
  const MeasureResult result = measure(default_schedule());
  EXPECT_EQ(result.outcome, Outcome::kDoesNotFit) << result.detail;
  EXPECT_NE(result.detail.find("'dram'"), std::string::npos) << result.detail;
}

}  // namespace
}  // namespace tinytune
