#include "cost_model/transfer_gp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tinytune {
namespace {

/// A task with two templates; `tile` is the index of its default's tile.
struct MadeTask {
  explicit MadeTask(const std::vector<int>& tiles, uint16_t tile) {
    const auto anything = [](const Schedule&) { return true; };
    space.add({"direct", 1, {int_knob("tile", tiles), {"order", {"rows", "columns"}}}}, anything);
    space.add({"lanes", 1, {int_knob("pairs", {1, 2}), {"order", {"rows", "columns"}}}}, anything);
    const size_t start = *space.find(0, {tile, 0});
    moves = std::make_unique<KnobMoves>(space, start, std::vector{start, *space.find(1, {0, 0})});
  }
  size_t direct(uint16_t tile, uint16_t order) const { return *space.find(0, {tile, order}); }
  size_t lanes(uint16_t pairs, uint16_t order) const { return *space.find(1, {pairs, order}); }

  ConfigSpace space;
  std::unique_ptr<KnobMoves> moves;
};

class TransferGpTest : public testing::Test {
 protected:
  /// Doubling the tile gains a fifth, columns lose a fifth, lanes are twice as slow.
  TransferGpTest() {
    process_.fit({elsewhere_.moves.get()},
                 std::vector<MoveSample>{{0, elsewhere_.direct(1, 0), 10.0},
                                         {0, elsewhere_.direct(2, 0), 9.8},
                                         {0, elsewhere_.direct(1, 1), 10.2},
                                         {0, elsewhere_.lanes(0, 0), 10.7}});
  }
  double promise(size_t point) const {
    return process_.promises(*here_.moves, std::vector{point}).front();
  }

  MadeTask elsewhere_{{3, 7, 15}, 1}, here_{{15, 31, 63}, 0};
  TransferGp process_;
};

TEST_F(TransferGpTest, MoveThatGainedElsewhere_IsPromisedFromAnotherDefault) {
  EXPECT_NEAR(promise(here_.direct(0, 0)), 0, 1e-6);
  EXPECT_GT(promise(here_.direct(1, 0)), 0.1);
}

TEST_F(TransferGpTest, MoveThatLostElsewhere_IsNoReasonToLeaveItOut) {
  EXPECT_GE(promise(here_.direct(0, 1)), 0);
  EXPECT_GE(promise(here_.direct(1, 1)), 0);
}

TEST_F(TransferGpTest, TemplateThatWasSlowElsewhere_StartsBehind) {
  EXPECT_LT(promise(here_.lanes(0, 0)), -0.2);
}

TEST_F(TransferGpTest, KnobOfAnotherTemplate_IsPromisedLessThanTheSameOne) {
  TransferGp process;
  process.fit({elsewhere_.moves.get()}, std::vector<MoveSample>{{0, elsewhere_.direct(1, 0), 10.0},
                                                                {0, elsewhere_.direct(1, 1), 9.7},
                                                                {0, elsewhere_.lanes(0, 0), 10.0}});
  const auto promises = process.promises(
      *here_.moves, std::vector{here_.direct(0, 1), here_.lanes(0, 1), here_.lanes(0, 0)});
  EXPECT_GT(promises[0], promises[1]);
  EXPECT_GT(promises[1], promises[2] + 0.01);
}

TEST_F(TransferGpTest, LevelsOfTasks_AreNotCompared) {
  TransferGp process;
  const MadeTask slow({3, 7, 15}, 1);
  process.fit({elsewhere_.moves.get(), slow.moves.get()},
              std::vector<MoveSample>{{0, elsewhere_.direct(1, 0), 10.0},
                                      {0, elsewhere_.direct(2, 0), 9.8},
                                      {1, slow.direct(1, 0), 15.0},
                                      {1, slow.direct(2, 0), 14.8}});
  const auto promises = process.promises(*here_.moves, std::vector{here_.direct(1, 0)});
  EXPECT_GT(promises.front(), 0.1);
  EXPECT_LT(promises.front(), 0.4);
}

TEST(TransferGp, NothingTold_PromisesNothing) {
  const MadeTask task({1, 2}, 0);
  const TransferGp process;
  EXPECT_EQ(process.promises(*task.moves, std::vector{task.direct(1, 1)}).front(), 0);
  EXPECT_EQ(task.moves->count(task.direct(1, 1)), 2);
}

}  // namespace
}  // namespace tinytune
