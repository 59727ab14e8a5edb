#include "search/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cost_model/features.h"
#include "tests/search/landscapes.h"

namespace tinytune {
namespace {

ConfigSpace space_with_hole() {
  ConfigSpace space;
  space.add({"t", 1, {int_knob("a", {1, 2, 4, 8}), {"b", {"x", "y"}}}},
            [](const Schedule& s) { return s.get("b") != "x" || s.get_int("a") != 2; });
  space.add({"u", 1, {int_knob("c", {1, 2})}}, [](const Schedule&) { return true; });
  return space;
}

size_t at(const ConfigSpace& space, const char* text) { return *space.find(*parse_schedule(text)); }

TEST(Neighbours, StepOverIllegalPointsAndStayInTheFamily) {
  const ConfigSpace space = space_with_hole();
  std::vector<std::string> found;
  for (size_t p : neighbours(space, at(space, "t/1 a=1 b=x")))
    found.push_back(to_text(space.schedule(p)));
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("t/1 a=4 b=x", "t/1 a=1 b=y"));
}

TEST(KnobDistance, CountsKnobs_AdjacentValuesHalf) {
  const ConfigSpace space = space_with_hole();
  const size_t origin = at(space, "t/1 a=1 b=y");
  EXPECT_EQ(knob_distance(space, origin, origin), 0);
  EXPECT_EQ(knob_distance(space, origin, at(space, "t/1 a=2 b=y")), 0.25);
  EXPECT_EQ(knob_distance(space, origin, at(space, "t/1 a=8 b=y")), 0.5);
  EXPECT_EQ(knob_distance(space, origin, at(space, "u/1 c=1")), 1);
}

TEST(Evolution, Children_AreLegalAndOfTheirParents) {
  const ConfigSpace space = space_with_hole();
  Rng rng(1);
  const size_t mother = at(space, "t/1 a=1 b=x"), father = at(space, "t/1 a=8 b=y");
  bool moved = false;
  for (int i = 0; i < 200; ++i) {
    const size_t mutant = mutated(space, mother, rng);
    EXPECT_EQ(space.family_of(mutant), 0u);
    moved |= mutant != mother;
    const Schedule child = space.schedule(crossed(space, mother, father, rng));
    EXPECT_TRUE(child.get_int("a") == 1 || child.get_int("a") == 8) << to_text(child);
  }
  EXPECT_TRUE(moved);
  EXPECT_EQ(crossed(space, mother, at(space, "u/1 c=1"), rng), mother);
}

TEST(CandidateRows, OtherFamiliesKnobs_AreMissing) {
  const ConfigSpace space = space_with_hole();
  const SearchProblem problem{&space, [](size_t) { return LoopNest{}; }, 0, 1};
  CandidateRows rows(problem);
  const std::vector<size_t> points = {at(space, "t/1 a=8 b=y"), at(space, "u/1 c=2")};
  const FeatureMatrix m = rows.rows(points);
  const size_t knobs = feature_names().size();
  ASSERT_EQ(m.columns(), knobs + 1 + 3);
  EXPECT_THAT(m.row(0).subspan(knobs, 3), ::testing::ElementsAre(0, 3, 1));
  EXPECT_TRUE(std::isnan(m.row(0)[knobs + 3]));
  EXPECT_TRUE(std::isnan(m.row(1)[knobs + 1]) && std::isnan(m.row(1)[knobs + 2]));
  EXPECT_EQ(m.row(1)[knobs + 3], 1);
}

TEST(CandidateRows, EachPoint_IsDescribedOnce) {
  const ConfigSpace space = space_with_hole();
  int described = 0;
  const SearchProblem problem{&space, [&](size_t) { return ++described, LoopNest{}; }, 0, 1};
  CandidateRows rows(problem);
  const std::vector<size_t> points = {0, 1, 2, 1};
  rows.rows(points);
  rows.rows(points);
  EXPECT_EQ(described, 3);
}

}  // namespace
}  // namespace tinytune
