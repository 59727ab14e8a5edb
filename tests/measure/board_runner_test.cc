#include "measure/board_runner.h"

#include <gtest/gtest.h>

#include "tests/measure/dense_task.h"
#include "tests/measure/plain_board.h"

namespace tinytune {
namespace {

class BoardRunnerTest : public testing::Test {
 protected:
  BoardRunnerTest() : device_(load_device("esp32c3").value()), board_(device_), runner_(board_) {}

  /// Makes up to `count` measurements; returns how many succeeded before one failed.
  int measure(int count) {
    for (int i = 0; i < count; ++i) {
      const auto run = runner_.run(dense_kernel("NONE", device_), dense_task(), {});
      if (!run) {
        why_ = run.error().message();
        EXPECT_EQ(run.error().code(), ErrorCode::kFailed);
        return i;
      }
    }
    return count;
  }

  Device device_;
  PlainBoard board_;
  BoardRunner runner_;
  std::string why_;
};

TEST_F(BoardRunnerTest, BoardThatStaysAsItIs_IsLookedAtAndGoesOn) {
  EXPECT_EQ(measure(2), 2);
  const int runs = board_.runs / 2;  // per measurement
  EXPECT_EQ(measure(BoardRunner::kBetweenLooks), BoardRunner::kBetweenLooks);
  EXPECT_EQ(board_.runs, (BoardRunner::kBetweenLooks + 2) * runs + 1) << "and one look";
  EXPECT_EQ(board_.resets, 0);
}

TEST_F(BoardRunnerTest, BoardWithAnotherClock_IsNoticedBeforeItsNextLook) {
  EXPECT_EQ(measure(1), 1);
  board_.noise = [] { return 1.25; };
  EXPECT_LT(measure(BoardRunner::kBetweenLooks), BoardRunner::kBetweenLooks);
  EXPECT_EQ(board_.resets, 1) << "which might have helped";
  EXPECT_NE(why_.find("tune doctor"), std::string::npos) << why_;
}

TEST_F(BoardRunnerTest, ChangeThatAResetUndoes_IsUndone) {
  EXPECT_EQ(measure(1), 1);
  board_.noise = [this] { return board_.resets == 0 ? 1.25 : 1.0; };
  EXPECT_EQ(measure(BoardRunner::kBetweenLooks), BoardRunner::kBetweenLooks);
  EXPECT_EQ(board_.resets, 1);
}

}  // namespace
}  // namespace tinytune
