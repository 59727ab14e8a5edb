// Lines of inline assembly as LLVM wants them, of which operands are numbers behind a "$".
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tinytune {

class AssemblyText {
 public:
  template <typename... Operands>
  void emit(fmt::format_string<Operands...> format, Operands&&... operands) {
    text_ += fmt::format(format, std::forward<Operands>(operands)...) + "\\0A\\09";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tinytune
