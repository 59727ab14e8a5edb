// A Schedule: one point of a template's space, in words a person can read and a log can keep.
//
// Knob values are text ("4", "pixels_outer") because a log outlives the space that wrote it: a
// record must be readable when the knob's list of values has changed since.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

class Schedule {
 public:
  Schedule() = default;
  /// `knobs` keep their order: it is the order of the text form.
  Schedule(std::string template_name, int version,
           std::vector<std::pair<std::string, std::string>> knobs);

  const std::string& template_name() const { return template_name_; }
  /// The version of the template's space: records of another version are kept but not used.
  int version() const { return version_; }
  const std::vector<std::pair<std::string, std::string>>& knobs() const { return knobs_; }

  /// The value of a knob that the template's own space defined; a missing one is our bug.
  const std::string& get(std::string_view knob) const;
  int get_int(std::string_view knob) const;
  bool has(std::string_view knob) const;
  /// Of the `knob`th one.
  void set_value(size_t knob, const std::string& value) { knobs_[knob].second = value; }

  bool operator==(const Schedule&) const = default;

 private:
  std::string template_name_;
  int version_ = 0;
  std::vector<std::pair<std::string, std::string>> knobs_;
};

/// "conv2d_nhwc/1 oc=4 px=5 order=pixels_outer".
std::string to_text(const Schedule& schedule);

/// kInvalidInput: not such a line.
Result<Schedule> parse_schedule(std::string_view text);

}  // namespace tinytune
