#include "search/knob_distance.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(KnobDistance, CountsKnobs_AdjacentValuesHalf) {
  ConfigSpace space;
  const auto anything = [](const Schedule&) { return true; };
  space.add({"t", 1, {int_knob("a", {1, 2, 4, 8}), {"b", {"x", "y"}}}}, anything);
  space.add({"u", 1, {int_knob("c", {1, 2})}}, anything);
  const auto at = [&](const char* text) { return *space.find(*parse_schedule(text)); };
  const size_t origin = at("t/1 a=1 b=y");
  EXPECT_EQ(knob_distance(space, origin, origin), 0);
  EXPECT_EQ(knob_distance(space, origin, at("t/1 a=2 b=y")), 0.25);
  EXPECT_EQ(knob_distance(space, origin, at("t/1 a=8 b=y")), 0.5);
  EXPECT_EQ(knob_distance(space, origin, at("u/1 c=1")), 1);
}

}  // namespace
}  // namespace tinytune
