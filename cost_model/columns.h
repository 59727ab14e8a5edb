// Maps names to columns of a feature matrix, in order of first use.
//
// The features of loop nests come first (cost_model/features.h). After them come facts that have
// names but no fixed column: a nest's switches, a template's knobs, a device's facts. One table
// serves all tasks of a run, so that their rows share a matrix. A row that lacks a fact has NaN
// there, which the ranker treats as missing.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tinytune {

class Columns {
 public:
  Columns();

  /// Returns the column of that name; the next free one if the name is new.
  size_t of(std::string_view name);

  /// Returns a number for a non-numeric knob value: its index among the words that this column has
  /// seen. The same in every task, independent of the task's own list of values.
  size_t word(size_t column, std::string_view value);

  size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, size_t, std::less<>> places_;
  std::map<size_t, std::vector<std::string>> words_;
};

/// Names of columns: "switch sched_ilp", "knob direct_nhwc.oc", "device registers".
std::string switch_column(std::string_view name);
std::string knob_column(std::string_view template_name, std::string_view knob);
std::string device_column(std::string_view fact);

}  // namespace tinytune
