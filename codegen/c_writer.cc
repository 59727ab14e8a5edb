#include "codegen/c_writer.h"

#include <cctype>
#include <cmath>
#include <cstdio>

#include "base/check.h"

namespace tinytune {

CWriter& CWriter::line(const std::string& text) {
  text_.append(static_cast<size_t>(2 * depth_), ' ').append(text).append("\n");
  return *this;
}

CWriter& CWriter::open(const std::string& head) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
  return *this;
}

CWriter& CWriter::close() {
  --depth_;
  return line("}");
}

CWriter& CWriter::loop(const std::string& variable, int64_t extent, int64_t step) {
  const std::string next = step == 1 ? "++" + variable : variable + " += " + std::to_string(step);
  return open("for (int32_t " + variable + " = 0; " + variable + " < " + std::to_string(extent) +
              "; " + next + ")");
}

std::string c_int(int64_t value) {
  TT_CHECK(value >= INT32_MIN && value <= INT32_MAX, std::to_string(value));
  return value == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(value);
}

std::string c_plus(const std::string& name, int64_t k) {
  if (k == 0) return name;
  return name + (k < 0 ? " - " + std::to_string(-k) : " + " + std::to_string(k));
}

std::string c_upper(const std::string& name) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

bool is_c_identifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

std::string c_float(float value) {
  TT_CHECK(!std::isnan(value), "no literal");
  if (std::isinf(value)) return value > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  std::string literal = text;
  if (literal.find_first_of(".e") == std::string::npos) literal += ".0";
  return literal + "f";
}

}  // namespace tinytune
