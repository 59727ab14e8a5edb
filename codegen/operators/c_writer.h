// Text of C functions, line by line, indented. It knows nothing of C but braces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tinytune {

class CWriter {
 public:
  explicit CWriter(int depth = 0) : depth_(depth) {}

  CWriter& line(const std::string& text);
  /// Writes "head {" and indents by one more step until close().
  CWriter& open(const std::string& head);
  CWriter& close();
  /// open() of `for (int32_t v = 0; v < extent; v += step)`, or with another comparison than `<`.
  CWriter& loop(const std::string& variable, int64_t extent, int64_t step = 1,
                const char* until = "<");

  /// Adds lines of a function's body, each with its line break, at the current indentation.
  CWriter& raw(const std::string& lines);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_;
};

/// Prints the statements of `count` elements: a loop that is unrolled by the elements of a pass,
/// then the remainder. `print` gets an element's index as the loop's variable (empty in the
/// remainder) and a number to add.
using ElementStatement = std::function<void(const std::string& variable, int64_t added)>;
struct ElementPass {
  int64_t elements = 4;
  const char* until = "<";  ///< how the counter is compared with its end: "<" or "!="
};
void print_unrolled(CWriter& w, int64_t count, const ElementStatement& print,
                    const ElementPass& pass = {});

/// A decimal literal that every compiler takes as int32_t, the smallest one included.
std::string c_int(int64_t value);

/// "name + k"; just "name" when k is 0, and just "k" when there is no name.
std::string c_plus(const std::string& name, int64_t k);

/// c_plus() of "name * step"; just "k" when there is no name.
std::string c_scaled(const std::string& name, int64_t step, int64_t k);

/// The name in capitals, for macros.
std::string c_upper(const std::string& name);

/// "1x49x10x1"; "scalar" for no dimensions.
std::string shape_text(const std::vector<int>& shape);

/// A float literal that reads back as the same float; must not be NaN.
std::string c_float(float value);

}  // namespace tinytune
