#include "search/task_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cost_model/features.h"

namespace tinytune {
namespace {

ConfigSpace space_of(std::vector<ConfigSpace::Family> families) {
  ConfigSpace space;
  for (ConfigSpace::Family& family : families)
    space.add(std::move(family), [](const Schedule&) { return true; });
  return space;
}

class Task {
 public:
  Task(ConfigSpace space, Columns& columns, std::vector<DeviceFact> device = {})
      : space_(std::move(space)), rows_(problem(std::move(device)), columns), columns_(columns) {}

  /// The value of one column in one point's row; NaN where it is missing.
  float value(const std::string& schedule, const std::string& column) {
    const size_t point = *space_.find(*parse_schedule(schedule));
    rows_.describe({&point, 1});
    const size_t kept = columns_.of(column);
    FeatureMatrix matrix(1);
    rows_.add_to(matrix, {&point, 1}, {&kept, 1});
    return matrix.row(0)[0];
  }
  int described() const { return described_; }

 private:
  SearchProblem problem(std::vector<DeviceFact> device) {
    SearchProblem problem;
    problem.space = &space_;
    problem.describe = [this](size_t point) {
      ++described_;
      LoopNest nest;
      if (space_.schedule(point).has("sched"))
        nest.switches = {{"sched_ilp", 1.0}, {"sched_source", 0.0}};
      else
        nest.switches = {{"tile_inside", 0.5}, {"smlad", 1.0}};
      return nest;
    };
    problem.device = std::move(device);
    return problem;
  }
  ConfigSpace space_;
  int described_ = 0;
  TaskRows rows_;
  Columns& columns_;
};

TEST(TaskRows, AKnobsValue_IsTheSameNumberInEveryTask) {
  Columns columns;
  Task small(space_of({{"t", 1, {int_knob("oc", {2, 4})}}}), columns);
  Task large(space_of({{"t", 1, {int_knob("oc", {4, 8, 16})}}}), columns);
  EXPECT_EQ(small.value("t/1 oc=4", "knob t.oc"), 4);
  EXPECT_EQ(large.value("t/1 oc=4", "knob t.oc"), 4);
  EXPECT_EQ(large.value("t/1 oc=16", "knob t.oc"), 16);
}

TEST(TaskRows, AWordOfAKnob_IsTheSameNumberInEveryTask) {
  Columns columns;
  Task both(space_of({{"t", 1, {{"order", {"pixels", "channels"}}}}}), columns);
  Task one(space_of({{"t", 1, {{"order", {"channels", "diagonal"}}}}}), columns);
  EXPECT_EQ(both.value("t/1 order=channels", "knob t.order"),
            one.value("t/1 order=channels", "knob t.order"));
  EXPECT_NE(both.value("t/1 order=pixels", "knob t.order"),
            one.value("t/1 order=diagonal", "knob t.order"));
}

TEST(TaskRows, KnobsOfOtherTemplates_AreMissing) {
  Columns columns;
  Task task(space_of({{"t", 1, {int_knob("a", {1, 2})}}, {"u", 1, {int_knob("a", {1, 2})}}}),
            columns);
  EXPECT_EQ(task.value("u/1 a=2", "knob u.a"), 2);
  EXPECT_TRUE(std::isnan(task.value("u/1 a=2", "knob t.a")));
  EXPECT_NE(task.value("t/1 a=1", "template"), task.value("u/1 a=1", "template"));
}

TEST(TaskRows, EverySwitch_HasAColumnOfItsOwn) {
  Columns columns;
  Task task(space_of({{"t", 1, {{"sched", {"ilp"}}}}, {"u", 1, {}}}), columns);
  EXPECT_EQ(task.value("t/1 sched=ilp", "switch sched_ilp"), 1);
  EXPECT_EQ(task.value("t/1 sched=ilp", "switch sched_source"), 0);
  EXPECT_TRUE(std::isnan(task.value("t/1 sched=ilp", "switch tile_inside")));
  EXPECT_EQ(task.value("u/1", "switch tile_inside"), 0.5F);
  EXPECT_EQ(task.value("u/1", "switch smlad"), 1);
}

TEST(TaskRows, FactsOfTheDevice_StandInEveryRow) {
  Columns columns;
  Task task(space_of({{"t", 1, {int_knob("a", {1, 2})}}}), columns, {{"registers", 13}});
  EXPECT_EQ(task.value("t/1 a=1", "device registers"), 13);
  EXPECT_EQ(task.value("t/1 a=2", "device registers"), 13);
}

TEST(TaskRows, EachPoint_IsDescribedOnce) {
  Columns columns;
  Task task(space_of({{"t", 1, {int_knob("a", {1, 2})}}}), columns);
  for (int i = 0; i < 3; ++i) task.value("t/1 a=1", "knob t.a");
  task.value("t/1 a=2", "knob t.a");
  EXPECT_EQ(task.described(), 2);
}

}  // namespace
}  // namespace tinytune
