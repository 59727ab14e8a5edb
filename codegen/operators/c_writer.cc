#include "codegen/operators/c_writer.h"

#include <cctype>
#include <cmath>
#include <cstdio>

#include "base/check.h"

namespace tinytune {

CWriter& CWriter::line(const std::string& text) {
  text_.append(static_cast<size_t>(2 * depth_), ' ').append(text).append("\n");
  return *this;
}

CWriter& CWriter::raw(const std::string& lines) {
  const std::string deeper(static_cast<size_t>(2 * (depth_ - 1)), ' ');
  for (size_t at = 0, end; at < lines.size(); at = end) {
    end = lines.find('\n', at) + 1;
    text_.append(deeper).append(lines, at, end - at);
  }
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

CWriter& CWriter::loop(const std::string& variable, int64_t extent, int64_t step,
                       const char* until) {
  const std::string next = step == 1 ? "++" + variable : variable + " += " + std::to_string(step);
  return open("for (int32_t " + variable + " = 0; " + variable + " " + until + " " +
              std::to_string(extent) + "; " + next + ")");
}

std::string c_int(int64_t value) {
  TT_CHECK(value >= INT32_MIN && value <= INT32_MAX, std::to_string(value));
  return value == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(value);
}

std::string c_plus(const std::string& name, int64_t k) {
  if (name.empty()) return c_int(k);
  if (k == 0) return name;
  return name + (k < 0 ? " - " + std::to_string(-k) : " + " + std::to_string(k));
}

std::string c_scaled(const std::string& name, int64_t step, int64_t k) {
  return c_plus(name.empty() || step == 1 ? name : name + " * " + std::to_string(step), k);
}

void print_unrolled(CWriter& w, int64_t count, const ElementStatement& print,
                    const ElementPass& pass) {
  const int64_t whole = count / pass.elements * pass.elements;
  if (whole > 0) {
    w.loop("i", whole, pass.elements, pass.until);
    for (int64_t k = 0; k < pass.elements; ++k) print("i", k);
    w.close();
  }
  for (int64_t k = whole; k < count; ++k) print("", k);
}

std::string c_upper(const std::string& name) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

std::string shape_text(const std::vector<int>& shape) {
  std::string text;
  for (const int extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
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
