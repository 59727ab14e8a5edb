// Text of C functions, line by line, indented. It knows nothing of C but braces.
#pragma once

#include <cstdint>
#include <string>

namespace tinytune {

class CWriter {
 public:
  explicit CWriter(int depth = 0) : depth_(depth) {}

  CWriter& line(const std::string& text);
  /// "head {", and what follows one step deeper until close().
  CWriter& open(const std::string& head);
  CWriter& close();
  /// open() of `for (int32_t v = 0; v < extent; v += step)`.
  CWriter& loop(const std::string& variable, int64_t extent, int64_t step = 1);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_;
};

/// A decimal literal that every compiler takes as int32_t, the smallest one included.
std::string c_int(int64_t value);

/// "name + k", or just "name" when k is 0.
std::string c_plus(const std::string& name, int64_t k);

/// The name in capitals, for macros.
std::string c_upper(const std::string& name);

bool is_c_identifier(const std::string& name);

/// A float literal that reads back as the same float; NaN is our bug.
std::string c_float(float value);

}  // namespace tinytune
