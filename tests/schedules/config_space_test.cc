#include "schedules/config_space.h"

#include <gtest/gtest.h>

#include <set>

namespace tinytune {
namespace {

ConfigSpace::Family family(const std::string& name) {
  return {name, 1, {int_knob("a", {1, 2, 4}), {"b", {"x", "y"}}}};
}

bool anything(const Schedule&) { return true; }

TEST(ConfigSpace, Add_EnumeratesLegalPointsOnly_FirstKnobSlowest) {
  ConfigSpace space;
  space.add(family("t"),
            [](const Schedule& s) { return s.get_int("a") != 2 || s.get("b") == "y"; });
  std::vector<std::string> points;
  for (size_t p = 0; p < space.size(); ++p) points.push_back(to_text(space.schedule(p)));
  EXPECT_EQ(points, (std::vector<std::string>{"t/1 a=1 b=x", "t/1 a=1 b=y", "t/1 a=2 b=y",
                                              "t/1 a=4 b=x", "t/1 a=4 b=y"}));
}

TEST(ConfigSpace, Find_InvertsScheduleAndCoordinates) {
  ConfigSpace space;
  space.add(family("t"), anything);
  space.add(family("u"), anything);
  ASSERT_EQ(space.size(), 12u);
  for (size_t p = 0; p < space.size(); ++p) {
    EXPECT_EQ(space.find(space.schedule(p)), p);
    EXPECT_EQ(space.find(space.family_of(p), space.coordinates(p)), p);
  }
}

TEST(ConfigSpace, Find_OfForeignSchedules_IsEmpty) {
  ConfigSpace space;
  space.add(family("t"), [](const Schedule& s) { return s.get_int("a") < 4; });
  const auto found = [&](const char* text) {
    return space.find(*parse_schedule(text)).has_value();
  };
  EXPECT_TRUE(found("t/1 a=2 b=y"));
  EXPECT_FALSE(found("t/1 a=4 b=y")) << "illegal";
  EXPECT_FALSE(found("t/1 a=3 b=y")) << "not a value";
  EXPECT_FALSE(found("t/2 a=2 b=y")) << "another version";
  EXPECT_FALSE(found("u/1 a=2 b=y")) << "another template";
  EXPECT_FALSE(found("t/1 a=2")) << "a knob less";
  EXPECT_FALSE(found("t/1 a=2 b=y c=1")) << "a knob more";
  EXPECT_FALSE(found("t/1 a=2 c=y")) << "another knob";
  EXPECT_FALSE(space.find(0, {9, 9}).has_value());
  EXPECT_FALSE(space.find(7, {0, 0}).has_value());
}

TEST(ConfigSpace, Append_KeepsOrderAndFindsBothParts) {
  ConfigSpace first, second;
  first.add(family("t"), anything);
  second.add(family("u"), anything);
  second.add(family("v"), anything);
  first.append(second);
  ASSERT_EQ(first.size(), 18u);
  EXPECT_EQ(first.family_count(), 3u);
  EXPECT_EQ(first.schedule(5).template_name(), "t");
  EXPECT_EQ(first.schedule(6).template_name(), "u");
  EXPECT_EQ(first.family(first.family_of(17)).template_name, "v");
  for (size_t p = 0; p < first.size(); ++p) EXPECT_EQ(first.find(first.schedule(p)), p);
}

TEST(ConfigSpace, Filtered_KeepsOrderAndFamilies) {
  ConfigSpace space;
  space.add(family("t"), anything);
  space.add(family("u"), [](const Schedule& s) { return s.get_int("a") > 1; });
  const ConfigSpace kept = space.filtered(
      [](const Schedule& s) { return s.template_name() == "u" && s.get("b") == "y"; });
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(to_text(kept.schedule(0)), "u/1 a=2 b=y");
  EXPECT_EQ(to_text(kept.schedule(1)), "u/1 a=4 b=y");
  EXPECT_EQ(kept.family_count(), 2u) << "families keep their numbers";
  EXPECT_EQ(kept.family_of(0), 1u);
  for (size_t p = 0; p < kept.size(); ++p) EXPECT_EQ(kept.find(kept.schedule(p)), p);
  EXPECT_FALSE(kept.find(space.schedule(0)).has_value());
  EXPECT_EQ(space.filtered([](const Schedule&) { return false; }).size(), 0u);
}

TEST(ConfigSpace, EmptyOrKnobless_Families) {
  ConfigSpace space;
  space.add(family("none"), [](const Schedule&) { return false; });
  EXPECT_EQ(space.size(), 0u);
  space.add({"single", 1, {}}, anything);
  ASSERT_EQ(space.size(), 1u);
  EXPECT_EQ(to_text(space.schedule(0)), "single/1");
  EXPECT_EQ(space.find(space.schedule(0)), 0u);
}

}  // namespace
}  // namespace tinytune
