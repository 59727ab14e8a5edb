// Measuring on a board that has the required abilities only.
#include "measure/runner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/measurer.h"
#include "measure/steady.h"
#include "tests/measure/dense_task.h"
#include "tests/measure/plain_board.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

class PlainBoardTest : public testing::Test {
 protected:
  PlainBoardTest() : device_(load_device("esp32c3").value()), board_(device_) {}

  RunResult run(const std::string& fault) {
    auto run = run_candidate(board_, dense_kernel(fault, device_), task_, {});
    EXPECT_TRUE(run) << run.error().message();
    return run ? *run : RunResult{};
  }

  Device device_;
  PlainBoard board_;
  TaskData task_ = dense_task();
};

TEST_F(PlainBoardTest, BoardThatCountsNoInstructions_MeasuresCycles) {
  const MeasureResult plain = run("NONE").result;
  ASSERT_EQ(plain.outcome, Outcome::kOk) << plain.detail;
  EXPECT_EQ(plain.instructions, 0u);
  EXPECT_EQ(plain.fidelity, Fidelity::kBoard);
  EXPECT_EQ(plain.source, "plain-0042");
  const auto simulator = SimulatorBoard::create(device_).value();
  const auto simulated = run_candidate(*simulator, dense_kernel("NONE", device_), task_, {});
  ASSERT_TRUE(simulated);
  EXPECT_EQ(plain.cycles, std::vector<uint64_t>(2, simulated->result.cycles.at(0)));
  EXPECT_EQ(plain.image, simulated->result.image);
}

TEST_F(PlainBoardTest, RightKernel_CrossesTheLinkInFewBytes) {
  run("NONE");
  EXPECT_EQ(board_.reads, 0);
  const size_t image = dense_kernel("NONE", device_).elf.size();
  const size_t constants = 70 + 28, saturating_inputs = 2 * 10;
  // The image is sent twice: before the board says which constants it lacks, and after.
  EXPECT_EQ(board_.link_bytes, 2 * image + constants + saturating_inputs);
}

TEST_F(PlainBoardTest, ConstantsOfTheNextKernel_DoNotCrossAgain) {
  run("NONE");
  EXPECT_EQ(board_.constant_bytes, 70u + 28u);
  EXPECT_EQ(run("DEEP_STACK").result.outcome, Outcome::kOk);
  EXPECT_EQ(board_.constant_bytes, 70u + 28u);
}

TEST_F(PlainBoardTest, WrongByte_IsReadAndNamed) {
  const MeasureResult result = run("WRONG_BYTE").result;
  EXPECT_EQ(result.outcome, Outcome::kWrongOutput);
  EXPECT_NE(result.detail.find("case random: byte 3 is "), std::string::npos) << result.detail;
  EXPECT_EQ(board_.reads, 1);
}

TEST_F(PlainBoardTest, CaseInTheMiddleThatIsWrong_IsNamedWithItsByte) {
  ASSERT_GT(task_.cases.size(), 3u);
  task_.cases[2].expected[1] ^= 1;
  const MeasureResult result = run("NONE").result;
  EXPECT_EQ(result.outcome, Outcome::kWrongOutput);
  EXPECT_NE(result.detail.find("case " + task_.cases[2].name + ": byte 1 is "), std::string::npos)
      << result.detail;
  EXPECT_TRUE(result.cycles.empty());
}

// Must be detected even if the byte's right value equals what was there before.
TEST_F(PlainBoardTest, ByteNeverWritten_ShowsWithoutSendingOutputs) {
  for (const int right : {0xA5, 0x5A, 0x3C, 0x00}) {
    task_.cases[0].expected[6] = static_cast<uint8_t>(right);
    EXPECT_EQ(run("MISSING_BYTE").result.outcome, Outcome::kWrongOutput) << right;
  }
}

TEST_F(PlainBoardTest, RunThatTakesTooLong_IsNoFactToRemember) {
  board_.too_slow = true;
  const RunResult late = run("NONE");
  EXPECT_EQ(late.result.outcome, Outcome::kRunTimeout);
  EXPECT_FALSE(late.repeatable);
  board_.too_slow = false;
  EXPECT_TRUE(run("NONE").repeatable);
}

TEST_F(PlainBoardTest, Repeats_AreTheLeastThatARecordHas) {
  const auto result = run_candidate(board_, dense_kernel("NONE", device_), task_, {.repeats = 5});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->result.cycles.size(), 6u);  // and one more that looks for unwritten bytes
}

TEST_F(PlainBoardTest, CyclesThatDiffer_AreCountedUntilTheirMedianIsKnown) {
  const uint64_t cycles = run("NONE").result.cycles.at(0);
  board_.noise = [calls = 0]() mutable { return calls++ % 7 == 0 ? 2.0 : 1.0; };
  const MeasureResult noisy = run("NONE").result;
  ASSERT_EQ(noisy.outcome, Outcome::kOk) << noisy.detail;
  EXPECT_GT(noisy.cycles.size(), 6u);
  EXPECT_LT(noisy.cycles.size(), 20u);
  EXPECT_EQ(median_of(noisy.cycles), cycles);
  EXPECT_EQ(std::ranges::max(noisy.cycles), 2 * cycles) << "what was counted stays in the record";
}

TEST_F(PlainBoardTest, CyclesWithoutAnyOrder_EndAtALimit) {
  board_.noise = [calls = 0]() mutable { return 1.0 + calls++ % 10; };
  EXPECT_EQ(run("NONE").result.cycles.size(), static_cast<size_t>(kMostCalls));
}

class LostBoardTest : public testing::Test {
 protected:
  LostBoardTest()
      : device_(load_device("esp32c3").value()),
        builder_(Builder::start(device_).value()),
        board_(device_),
        measurer_(builder_, board_),
        task_(small_conv_task()) {}
  Result<MeasureResult> measure() {
    const Schedule schedule = default_schedule_of(task_.workload, device_).value();
    return measurer_.measure(task_, task_.digest(), {schedule, Fidelity::kBoard, {}});
  }
  Device device_;
  Builder builder_;
  PlainBoard board_;
  Measurer measurer_;
  TaskData task_;
};

TEST_F(LostBoardTest, LostOnce_IsResetAndAskedAgain) {
  board_.lose_run = 3;
  const auto result = measure();
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->outcome, Outcome::kOk) << result->detail;
  EXPECT_EQ(board_.resets, 1);
  // The reset cleared the board, so its constants crossed the link a second time.
  EXPECT_EQ(board_.constant_bytes, 2 * result->code.constant_bytes);
}

TEST_F(LostBoardTest, LateRun_IsRunAgainNextTime) {
  board_.too_slow = true;
  EXPECT_EQ(measure()->outcome, Outcome::kRunTimeout);
  board_.too_slow = false;
  EXPECT_EQ(measure()->outcome, Outcome::kOk);
  const int runs = board_.runs;
  EXPECT_EQ(measure()->outcome, Outcome::kOk);
  EXPECT_EQ(board_.runs, runs);
}

}  // namespace
}  // namespace tinytune
