// A LoopNest as numbers that mean the same for every template and task.
//
// The columns are a table of (name, function). Appending one, or changing what one computes, raises
// kFeatureVersion: whoever stores rows or a trained model stores the version beside them and
// refuses another, and a test holds the names and the version together.
//
// A nest's switches are not among them: templates name those freely, also ones linked from outside,
// so each gets a column of its own where rows are put together (cost_model/columns.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedules/loop_nest.h"

namespace tinytune {

inline constexpr int kFeatureVersion = 3;

/// The columns' names, in order.
const std::vector<std::string>& feature_names();

/// One finite value per column.
std::vector<float> features_of(const LoopNest& nest);

/// Instructions per multiply-accumulate that the nest alone lets one expect of a core with one
/// issue: one of the columns. Templates may be compared by it, roughly.
double rule_of_thumb(const LoopNest& nest);

}  // namespace tinytune
