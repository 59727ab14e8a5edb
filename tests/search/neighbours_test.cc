#include "search/neighbours.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

class NeighboursTest : public testing::Test {
 protected:
  NeighboursTest() {
    space_.add({"one", 1, {int_knob("a", {1, 2, 3, 4}), {"b", {"x", "y"}}}},
               [](const Schedule& s) { return s.get_int("a") != 3 || s.get("b") == "x"; });
    space_.add({"two", 1, {int_knob("a", {1, 2, 3, 4})}}, [](const Schedule&) { return true; });
  }
  size_t point(uint16_t a, uint16_t b) const { return *space_.find(0, {a, b}); }
  ConfigSpace space_;
};

TEST_F(NeighboursTest, OneKnobAway_IsEveryLegalValueOfEachKnobInTheSameFamily) {
  EXPECT_EQ(one_knob_away(space_, point(0, 1)),
            (std::vector<size_t>{point(1, 1), point(3, 1), point(0, 0)}));
}

TEST_F(NeighboursTest, StepsAway_CountsPlacesInTheListAndStopsAtItsEnds) {
  EXPECT_EQ(steps_away(space_, point(1, 0), 1),
            (std::vector<size_t>{point(0, 0), point(2, 0), point(1, 1)}));
  EXPECT_EQ(steps_away(space_, point(1, 0), 2), std::vector<size_t>{point(3, 0)});
  EXPECT_TRUE(steps_away(space_, point(1, 0), 4).empty());
}

}  // namespace
}  // namespace tinytune
