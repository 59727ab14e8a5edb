#include "search/task_rows.h"

#include <charconv>
#include <limits>
#include <optional>

#include "cost_model/features.h"

namespace tinytune {
namespace {

std::optional<float> number(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return static_cast<float>(value);
}

/// Returns a knob's values as numbers if all are; otherwise the indices of words in the column.
std::vector<float> values_of(const Knob& knob, size_t column, Columns& columns) {
  std::vector<float> values;
  for (const std::string& value : knob.values)
    if (const auto n = number(value)) values.push_back(*n);
  if (values.size() == knob.values.size()) return values;
  values.clear();
  for (const std::string& value : knob.values)
    values.push_back(static_cast<float>(columns.word(column, value)));
  return values;
}

}  // namespace

TaskRows::TaskRows(const SearchProblem& problem, Columns& columns)
    : space_(*problem.space), describe_(problem.describe), columns_(columns) {
  const auto column_of = [&](const std::string& name) {
    return static_cast<uint32_t>(columns.of(name));
  };
  for (const auto& [fact, value] : problem.device)
    device_.push_back({column_of(device_column(fact)), static_cast<float>(value)});
  const uint32_t in_template = column_of("template");
  for (size_t f = 0; f < space_.family_count(); ++f) {
    const ConfigSpace::Family& family = space_.family(f);
    const size_t word = columns.word(in_template, family.template_name);
    template_.push_back({in_template, static_cast<float>(word)});
    knobs_.emplace_back();
    for (const Knob& knob : family.knobs) {
      const uint32_t column = column_of(knob_column(family.template_name, knob.name));
      knobs_.back().push_back({column, values_of(knob, column, columns)});
    }
  }
}

const TaskRows::Row& TaskRows::row(size_t point) {
  const auto [entry, is_new] = made_.try_emplace(point);
  Row& row = entry->second;
  if (!is_new) return row;
  const LoopNest nest = describe_(point);
  row.features = features_of(nest);
  row.named = device_;
  for (const auto& [name, value] : nest.switches) {
    const size_t column = columns_.of(switch_column(name));
    row.named.push_back({static_cast<uint32_t>(column), static_cast<float>(value)});
  }
  const size_t family = space_.family_of(point);
  row.named.push_back(template_[family]);
  const ConfigSpace::Coordinates& at = space_.coordinates(point);
  for (size_t k = 0; k < at.size(); ++k)
    row.named.push_back({knobs_[family][k].column, knobs_[family][k].values[at[k]]});
  return row;
}

void TaskRows::describe(std::span<const size_t> points) {
  for (size_t point : points) row(point);
}

void TaskRows::add_to(FeatureMatrix& matrix, std::span<const size_t> points,
                      std::span<const size_t> kept) {
  describe(points);
  std::vector<float> all, chosen(kept.size());
  for (size_t point : points) {
    const Row& made = row(point);
    all.assign(made.features.begin(), made.features.end());
    all.resize(columns_.size(), std::numeric_limits<float>::quiet_NaN());
    for (const auto& [column, value] : made.named) all[column] = value;
    for (size_t c = 0; c < kept.size(); ++c) chosen[c] = all[kept[c]];
    matrix.add(chosen);
  }
}

}  // namespace tinytune
