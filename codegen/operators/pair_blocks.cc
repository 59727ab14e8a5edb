#include "codegen/operators/pair_blocks.h"

#include "codegen/operators/pair_text.h"

namespace tinytune {
namespace {

constexpr int64_t kWord = 4;

std::string number(int64_t n) { return std::to_string(n); }

// Four terms of a row as two pairs, and their sum added to what the row's sums start from.
void print_words(CWriter& w, const DotSide& side, int row, bool totals) {
  const std::string u = "u" + number(row), start = "start" + number(row);
  print_widened(
      w, {u, "*(const uint32_t *)(" + c_plus("from", row * side.step) + " + d)", side.offset});
  for (const char* pair : {"_0", "_1"})
    if (totals) print_pair_product(w, u + pair, "65537u", start, false);
}

void print_elements(CWriter& w, const DotSide& side, int row, bool totals) {
  const std::string u = "u" + number(row), e = "e" + number(row);
  std::string total;
  for (int k = 0; k < kWord; ++k) {
    const std::string index =
        c_plus("d * " + number(side.depth_step), row * side.step + k * side.depth_step);
    w.line("const int32_t " + e + number(k) + " = " + c_plus("from[" + index + "]", side.offset) +
           ";");
    total += (k == 0 ? "" : " + ") + e + number(k);
  }
  for (int half = 0; half < 2; ++half)
    w.line("const uint32_t " + u + "_" + number(half) + " = ((uint32_t)" + e + number(half) +
           " & 0xffffu) | (uint32_t)" + e + number(half + 2) + " << 16;");
  if (totals) w.line("start" + number(row) + " += (uint32_t)(" + total + ");");
}

}  // namespace

bool PairBlocks::fit() const {
  constexpr int64_t kReach = 4095, kMostDepth = 256;  // a word on the stack for each term
  return comes_in_words(streamed, depth) && streamed.step <= kReach && depth <= kMostDepth;
}

// A step's words: the first pair of each row, then the second.
void PairBlocks::print_staging(CWriter& w) const {
  const bool totals = streamed.offset != 0;
  w.line("uint32_t staged[" + number(depth) + "];");
  for (int row = 0; row < kRows; ++row) w.line("uint32_t start" + number(row) + " = 0;");
  w.open("");
  w.line("const int8_t *const from = " + staged.from + ";");
  w.loop("d", depth, kWord);
  for (int row = 0; row < kRows; ++row)
    staged_in_words ? print_words(w, staged, row, totals) : print_elements(w, staged, row, totals);
  for (int row = 0; row < kRows; ++row)
    for (int half = 0; half < 2; ++half)
      w.line("staged[" + c_plus("d", kRows * half + row) + "] = u" + number(row) + "_" +
             number(half) + ";");
  w.close().close();
  for (int row = 0; totals && row < kRows; ++row)
    w.line("start" + number(row) + " *= (uint32_t)" + c_int(streamed.offset) + ";");
}

void PairBlocks::print_sums(CWriter& w) const {
  for (int s = 0; s < kRows; ++s)
    for (int t = 0; t < kRows; ++t)
      w.line("uint32_t " + dot_sum(s, t) + " = start" + number(s) + ";");
  w.open("");
  w.line("const uint32_t *x = staged, *const end = staged + " + number(depth) + ";");
  w.line("const int8_t *y = " + streamed.from + ";");
  w.line("uint32_t a, b, c, d, e;");
  const auto code = [&](const std::string& text) { w.line("    \"" + text + "\\n\\t\""); };
  const auto products = [&](int t, const std::string& pair) {
    code("smlad %[s0" + number(t) + "], %[a], %[" + pair + "], %[s0" + number(t) + "]");
    code("smlad %[s1" + number(t) + "], %[b], %[" + pair + "], %[s1" + number(t) + "]");
  };
  w.line("__asm__ volatile(");
  code("1: ldr %[d], [%[y], #" + number(streamed.step) + "]");
  code("ldr %[c], [%[y]], #4");
  code("ldrd %[a], %[b], [%[x]], #8");
  code("sxtb16 %[e], %[c]");
  products(0, "e");
  code("sxtb16 %[e], %[d]");
  products(1, "e");
  code("ldrd %[a], %[b], [%[x]], #8");
  code("sxtb16 %[c], %[c], ror #8");
  products(0, "c");
  code("sxtb16 %[d], %[d], ror #8");
  products(1, "d");
  code("cmp %[x], %[end]");
  code("bne 1b");
  w.line("    : [s00] \"+r\"(s00), [s01] \"+r\"(s01), [s10] \"+r\"(s10), [s11] \"+r\"(s11),");
  w.line("      [x] \"+r\"(x), [y] \"+r\"(y), [a] \"=&r\"(a), [b] \"=&r\"(b), [c] \"=&r\"(c),");
  w.line("      [d] \"=&r\"(d), [e] \"=&r\"(e)");
  w.line("    : [end] \"r\"(end)");
  w.line("    : \"cc\", \"memory\");");
  w.close();
}

// The zero point comes in before the shift, so that the shift and the clamp are one instruction.
bool PairRequantise::fits() const {
  if (shift > -1 || shift < -24 || reach >= int64_t{1} << 30) return false;
  const int64_t added = (int64_t{zero_point} * 2 + 1) * (int64_t{1} << (-shift - 1));
  return reach + 1 + (added < 0 ? -added : added) <= INT32_MAX;
}

void PairRequantise::print_store(CWriter& w, const std::string& output,
                                 const std::string& sum) const {
  const int64_t added = (int64_t{zero_point} * 2 + 1) * (int64_t{1} << (-shift - 1));
  w.open("");
  w.line("int32_t v = (int32_t)(" + sum + " << 1);");
  w.line("__asm__(\"smmulr %0, %1, %2\" : \"=r\"(v) : \"r\"(v), \"r\"(" + c_int(multiplier) +
         "));");
  w.line("v = " + c_plus("v + (v >> 31)", added) + ";");
  w.line("__asm__(\"ssat %0, #8, %1, asr #" + number(-shift) + "\" : \"=r\"(v) : \"r\"(v));");
  w.line(output + " = (int8_t)v;");
  w.close();
}

}  // namespace tinytune
