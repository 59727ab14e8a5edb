#include "schedules/schedule.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace tinytune {

Schedule::Schedule(std::string template_name, int version,
                   std::vector<std::pair<std::string, std::string>> knobs)
    : template_name_(std::move(template_name)), version_(version), knobs_(std::move(knobs)) {}

bool Schedule::has(std::string_view knob) const {
  for (const auto& [name, value] : knobs_)
    if (name == knob) return true;
  return false;
}

const std::string& Schedule::get(std::string_view knob) const {
  for (const auto& [name, value] : knobs_)
    if (name == knob) return value;
  internal::check_failed(__FILE__, __LINE__,
                         "schedule of " + template_name_ + " has no knob " + std::string(knob));
}

int Schedule::get_int(std::string_view knob) const {
  const std::string& text = get(knob);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  TT_CHECK(error == std::errc() && end == text.data() + text.size(),
           "knob " + std::string(knob) + " is not a number: " + text);
  return value;
}

std::string to_text(const Schedule& schedule) {
  std::string text = schedule.template_name() + "/" + std::to_string(schedule.version());
  for (const auto& [name, value] : schedule.knobs()) text += " " + name + "=" + value;
  return text;
}

Result<Schedule> parse_schedule(std::string_view text) {
  const Error bad(ErrorCode::kInvalidInput, "not a schedule: '" + std::string(text) + "'");
  std::vector<std::string_view> words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end == at) return bad;
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (words.empty()) return bad;
  const size_t slash = words[0].find('/');
  if (slash == std::string_view::npos || slash == 0) return bad;
  const std::string_view digits = words[0].substr(slash + 1);
  int version = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (error != std::errc() || end != digits.data() + digits.size()) return bad;
  std::vector<std::pair<std::string, std::string>> knobs;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == words[i].size())
      return bad;
    knobs.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  return Schedule(std::string(words[0].substr(0, slash)), version, std::move(knobs));
}

}  // namespace tinytune
