// Which column of a matrix means what: a name, and the place it got when it was first asked for.
//
// The features of loop nests come first (cost_model/features.h). Behind them stand the facts that
// have names and no fixed number: a nest's switches, a template's knobs, what a device has. One
// table serves all tasks of a run, so that their rows share a matrix; a row that lacks a fact has
// NaN there, which the ranker takes for "missing".
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

  /// The column of that name; the next free one when the name is new.
  size_t of(std::string_view name);

  /// The place of a word among those that this column has seen: what a knob whose values are no
  /// numbers holds. Equal in every task, whichever of the words its own list offers.
  size_t word(size_t column, std::string_view value);

  size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, size_t, std::less<>> places_;
  std::map<size_t, std::vector<std::string>> words_;
};

/// "switch sched_ilp", "knob direct_nhwc.oc", "device registers".
std::string switch_column(std::string_view name);
std::string knob_column(std::string_view template_name, std::string_view knob);
std::string device_column(std::string_view fact);

}  // namespace tinytune
