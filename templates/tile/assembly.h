// Prints inline assembly in LLVM's syntax: registers are numbered operands, chosen by LLVM.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tinytune {

/// An operand of the assembly, by its number (for the order see IrText::assembly). Numbers from
/// kVectors on are vector registers q0, q1, …, which are not operands.
struct Reg {
  static constexpr int kVectors = 64;
  int number = -1;

  constexpr Reg operator+(int further) const { return {number + further}; }
  bool operator==(const Reg&) const = default;
};

class Assembly {
 public:
  /// Adds a line: an instruction, a label or a directive.
  template <typename... Operands>
  void emit(fmt::format_string<Operands...> format, Operands&&... operands) {
    text_ += fmt::format(format, std::forward<Operands>(operands)...) + "\\0A\\09";
    ++lines_;
  }
  /// Appends the lines of another piece.
  void append(const Assembly& piece) {
    text_ += piece.text_;
    lines_ += piece.lines_;
  }

  const std::string& text() const { return text_; }
  int lines() const { return lines_; }

 private:
  std::string text_;
  int lines_ = 0;
};

}  // namespace tinytune

template <>
struct fmt::formatter<tinytune::Reg> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tinytune::Reg reg, Context& context) const {
    const bool vector = reg.number >= tinytune::Reg::kVectors;
    return fmt::format_to(context.out(), "{}{}", vector ? 'q' : '$',
                          reg.number - (vector ? tinytune::Reg::kVectors : 0));
  }
};
