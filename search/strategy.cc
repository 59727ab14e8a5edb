#include "search/strategy.h"

#include "base/check.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

struct Row {
  std::string_view name;
  int version;  ///< raised whenever equal calls give other proposals
  std::unique_ptr<Strategy> (*make)(SearchProblem);
};

constexpr Row kStrategies[] = {
    // The first is the default of `tune`.
    {"bayes", 5, &make_expected_improvement},
    {"xgb", 2, &make_xgb},
    {"annealing", 1, &make_annealing},
    {"droplet", 1, &make_droplet},
    {"genetic", 1, &make_genetic},
    {"random", 1, &make_random},
    {"grid", 1, &make_grid},
};

const Row* row_of(std::string_view name) {
  for (const Row& row : kStrategies)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, SearchProblem problem) {
  TT_CHECK(problem.space != nullptr && problem.describe,
           "a search needs a space and a description");
  TT_CHECK(problem.space->size() == 0 || !problem.default_point ||
               *problem.default_point < problem.space->size(),
           "the default point is one of the space");
  TT_TRY(check_strategy(name));
  return row_of(name)->make(std::move(problem));
}

Status check_strategy(std::string_view name) {
  if (row_of(name) != nullptr) return ok_status();
  std::string known;
  for (const Row& row : kStrategies) known += (known.empty() ? "" : ", ") + std::string(row.name);
  return Error(ErrorCode::kInvalidInput,
               "no search strategy '" + std::string(name) + "'; there are " + known);
}

int strategy_version(std::string_view name) {
  const Row* row = row_of(name);
  return row == nullptr ? 0 : row->version;
}

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kStrategies) names.push_back(row.name);
  return names;
}

}  // namespace tinytune
