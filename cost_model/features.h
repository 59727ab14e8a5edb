// Features of a LoopNest: numbers with the same meaning for every template and task.
//
// The columns are a table of (name, function). Adding a column or changing its function requires a
// higher kFeatureVersion: code that stores rows or a trained model stores the version with them
// and refuses others. A test checks that the names and the version match.
//
// A nest's switches are not included: templates, also externally linked ones, name them freely, so
// each gets its own column when rows are assembled (cost_model/columns.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedules/loop_nest.h"

namespace tinytune {

inline constexpr int kFeatureVersion = 3;

/// Returns the columns' names, in order.
const std::vector<std::string>& feature_names();

/// Returns one finite value per column.
std::vector<float> features_of(const LoopNest& nest);

/// Estimates the instructions per multiply-accumulate of the nest on a single-issue core; also one
/// of the columns. Accurate enough for a rough comparison of templates.
double rule_of_thumb(const LoopNest& nest);

}  // namespace tinytune
