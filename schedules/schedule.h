// A Schedule: one point of a template's space, as text for people and logs.
//
// Knob values are text ("4", "pixels_outer") because a log outlives the space that wrote it: a
// record must remain readable after a knob's list of values has changed.
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
  /// Version of the template's space: records of another version are kept but not used.
  int version() const { return version_; }
  const std::vector<std::pair<std::string, std::string>>& knobs() const { return knobs_; }

  /// Returns the value of a knob, which the template's space must define (else a failed check).
  const std::string& get(std::string_view knob) const;
  int get_int(std::string_view knob) const;
  bool has(std::string_view knob) const;
  /// Sets the value of the knob at index `knob`.
  void set_value(size_t knob, const std::string& value) { knobs_[knob].second = value; }

  bool operator==(const Schedule&) const = default;

 private:
  std::string template_name_;
  int version_ = 0;
  std::vector<std::pair<std::string, std::string>> knobs_;
};

/// Returns the text form, "conv2d_nhwc/1 oc=4 px=5 order=pixels_outer".
std::string to_text(const Schedule& schedule);

/// Parses the text form. kInvalidInput: not such a line.
Result<Schedule> parse_schedule(std::string_view text);

}  // namespace tinytune
