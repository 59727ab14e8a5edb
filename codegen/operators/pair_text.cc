#include "codegen/operators/pair_text.h"

#include <cstdint>

namespace tinytune {

void print_widened(CWriter& w, const WidenedWord& widened) {
  const auto half = static_cast<uint16_t>(widened.offset);
  const std::string offsets = std::to_string(uint32_t{half} * 0x10001u) + "u";
  const std::string word = widened.name + "_word";
  w.line("const uint32_t " + word + " = " + widened.word + ";");
  w.line("uint32_t " + widened.name + "_0, " + widened.name + "_1;");
  for (const char* end : {"_0", "_1"}) {
    const std::string rotated = end[1] == '1' ? ", ror #8" : "";
    const std::string to = widened.name + end;
    if (widened.offset == 0)
      w.line("__asm__(\"sxtb16 %0, %1" + rotated + "\" : \"=r\"(" + to + ") : \"r\"(" + word +
             "));");
    else
      w.line("__asm__(\"sxtab16 %0, %1, %2" + rotated + "\" : \"=r\"(" + to + ") : \"r\"(" +
             offsets + "), \"r\"(" + word + "));");
  }
}

void print_pair_product(CWriter& w, const std::string& a, const std::string& b,
                        const std::string& sum, bool is_long) {
  const std::string multiply = is_long ? "smlald %Q0, %R0, %1, %2" : "smlad %0, %1, %2, %0";
  w.line("__asm__(\"" + multiply + "\" : \"+r\"(" + sum + ") : \"r\"(" + a + "), \"r\"(" + b +
         "));");
}

void print_pair_products(CWriter& w, const std::string& a, const std::string& b,
                         const std::string& sum) {
  for (const char* end : {"_0", "_1"}) print_pair_product(w, a + end, b + end, sum, false);
}

}  // namespace tinytune
