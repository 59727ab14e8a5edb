#include "cost_model/columns.h"

#include <gtest/gtest.h>

#include <set>

#include "cost_model/features.h"

namespace tinytune {
namespace {

TEST(Columns, FeaturesOfNests_ComeFirst) {
  Columns columns;
  ASSERT_EQ(columns.size(), feature_names().size());
  EXPECT_EQ(columns.names(), feature_names());
}

TEST(Columns, EveryName_HasAColumnOfItsOwn) {
  Columns columns;
  std::set<size_t> places;
  const char* const switches[] = {"sched_source", "sched_pressure", "sched_ilp",
                                  "tile_inside",  "smlad",          "widened",
                                  "lanes",        "winograd",       "input_is_repacked"};
  for (const char* name : switches) places.insert(columns.of(switch_column(name)));
  places.insert(columns.of(knob_column("direct_nhwc", "oc")));
  places.insert(columns.of(knob_column("direct_nchw", "oc")));
  places.insert(columns.of(device_column("registers")));
  EXPECT_EQ(places.size(), std::size(switches) + 3);
  EXPECT_EQ(columns.of(switch_column("smlad")), feature_names().size() + 4) << "and keeps it";
}

TEST(Columns, Words_AreCountedPerColumn) {
  Columns columns;
  const size_t order = columns.of("knob t.order"), kind = columns.of("knob t.kind");
  EXPECT_EQ(columns.word(order, "pixels"), 0u);
  EXPECT_EQ(columns.word(order, "channels"), 1u);
  EXPECT_EQ(columns.word(kind, "channels"), 0u);
  EXPECT_EQ(columns.word(order, "pixels"), 0u);
}

}  // namespace
}  // namespace tinytune
