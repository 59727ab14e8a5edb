#include "cli/value_syntax.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace tinytune {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Wraps `validator` with our own message. Also refuses text that does not begin with a decimal
/// number, because CLI11 reads 010 as eight, as in C, and a unit alone as one of it.
CLI::Validator in_words(const CLI::Validator& validator, const std::string& takes) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const std::string refusal = "takes " + takes + ", not '" + text + "'";
        const bool octal = text.size() > 1 && text[0] == '0' && text[1] != '.';
        if (text.empty() || !is_digit(text[0]) || octal) return refusal;
        try {
          return validator(text).empty() ? "" : refusal;
        } catch (const CLI::ValidationError&) {
          return refusal;
        }
      },
      "");
}

/// Accepts numbers of 64 bits; refuses larger ones, instead of replacing them by the largest.
CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        uint64_t value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && stop == text.data() + text.size() ? "" : "not one";
      },
      "");
}

CLI::Validator bytes() {
  return in_words(CLI::AsSizeValue(/*kb_is_1000=*/false), "bytes like 98304, 96K or 1M");
}

CLI::Validator duration() {
  const std::map<std::string, double> seconds = {{"s", 1}, {"m", 60}, {"h", 3600}};
  return in_words(CLI::AsNumberWithUnit(seconds), "a time like 90, 60s, 5m or 2h");
}

/// Refuses 0. CLI11's own message would contain the largest double as the end of the range. Bytes
/// and times are already converted here, so "0" and "0K" are equal.
CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        return CLI::PositiveNumber(text).empty() ? "" : "takes more than 0";
      },
      "");
}

}  // namespace

void set_syntax(const Option& option, CLI::Option& to) {
  const std::string all_of_it = std::to_string(std::numeric_limits<uint64_t>::max());
  switch (option.syntax) {
    case Syntax::kText:
      break;
    case Syntax::kChoice:
      to.check(CLI::IsMember(option.choices).description(""));
      break;
    case Syntax::kPositive:
      to.check(in_words(whole_number(), "a whole number"));
      to.check(above_zero());
      break;
    case Syntax::kCount:
      to.check(in_words(whole_number(), "a whole number"));
      break;
    case Syntax::kBytes:
      to.transform(bytes());
      to.check(above_zero());
      break;
    case Syntax::kBytesOrNone:
      to.transform(bytes());  // CLI11 applies the last transform first
      to.transform(
          CLI::Transformer(std::map<std::string, std::string>{{"all", all_of_it}}).description(""));
      break;
    case Syntax::kPercent:
      to.check(in_words(CLI::Range(0.0, 100.0), "a number of percent"));
      break;
    case Syntax::kMilliseconds:
      to.check(in_words(CLI::Number.description(""), "milliseconds like 20 or 0.5"));
      to.check(above_zero());
      break;
    case Syntax::kDuration:
      to.transform(duration());
      to.check(above_zero());
      break;
    case Syntax::kDurationOrNone:
      to.transform(duration());
      break;
  }
}

}  // namespace tinytune
