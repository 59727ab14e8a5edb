#include "cost_model/columns.h"

#include <algorithm>

#include "cost_model/features.h"

namespace tinytune {

Columns::Columns() {
  for (const std::string& name : feature_names()) of(name);
}

size_t Columns::of(std::string_view name) {
  if (const auto known = places_.find(name); known != places_.end()) return known->second;
  names_.emplace_back(name);
  return places_.emplace(name, names_.size() - 1).first->second;
}

size_t Columns::word(size_t column, std::string_view value) {
  std::vector<std::string>& words = words_[column];
  const auto at = std::find(words.begin(), words.end(), value);
  const auto place = static_cast<size_t>(at - words.begin());
  if (place == words.size()) words.emplace_back(value);
  return place;
}

std::string switch_column(std::string_view name) { return "switch " + std::string(name); }

std::string knob_column(std::string_view template_name, std::string_view knob) {
  return "knob " + std::string(template_name) + "." + std::string(knob);
}

std::string device_column(std::string_view fact) { return "device " + std::string(fact); }

}  // namespace tinytune
