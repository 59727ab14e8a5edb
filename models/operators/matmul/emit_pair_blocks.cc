#include "models/operators/matmul/emit_pair_blocks.h"

#include "codegen/operators/pair_text.h"

namespace tinytune {
namespace {

constexpr int64_t kWord = 4;

std::string number(int64_t n) { return std::to_string(n); }

// Prints four terms of a row as two pairs; adds their sum to the start value of the row's sums.
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

void print_code(CWriter& w, const std::string& instruction) {
  w.line("    \"" + instruction + "\\n\\t\"");
}

}  // namespace

// Rows beyond whole blocks of four take twice as long one by one.
int PairBlocks::best_staged_rows(int rows, bool in_order) {
  constexpr int kMany = 16;
  return !in_order && (rows >= kMany || (rows >= 4 && rows % 4 <= 1)) ? 4 : 2;
}

bool PairBlocks::fit() const {
  constexpr int64_t kReach = 4095,
                    kMostDepth = 256;  // each term of two rows is a word on the stack
  return comes_in_words(streamed, depth) && streamed.step <= kReach && depth <= kMostDepth;
}

// Stages four terms a pass: the first pair of each row, then the second.
void PairBlocks::print_staging(CWriter& w) const {
  const bool totals = streamed.offset != 0;
  w.line("uint32_t staged[" + number(depth * staged_rows / 2) + "];");
  for (int row = 0; row < staged_rows; ++row) w.line("uint32_t start" + number(row) + " = 0;");
  w.open("");
  w.line("const int8_t *const from = " + staged.from + ";");
  w.line("uint32_t *to = staged;");
  w.loop("d", depth, kWord);
  for (int row = 0; row < staged_rows; ++row)
    staged_in_words ? print_words(w, staged, row, totals) : print_elements(w, staged, row, totals);
  for (int half = 0; half < 2; ++half)
    for (int row = 0; row < staged_rows; ++row)
      w.line("to[" + number(staged_rows * half + row) + "] = u" + number(row) + "_" + number(half) +
             ";");
  w.line("to += " + number(2 * staged_rows) + ";");
  w.close().close();
  for (int row = 0; totals && row < staged_rows; ++row)
    w.line("start" + number(row) + " *= (uint32_t)" + c_int(streamed.offset) + ";");
}

void PairBlocks::print_sums(CWriter& w) const {
  for (int s = 0; s < staged_rows; ++s)
    for (int t = 0; t < streamed_rows(); ++t)
      w.line("uint32_t " + dot_sum(s, t) + " = start" + number(s) + ";");
  w.open("");
  w.line("const uint32_t *x = staged, *const end = staged + " + number(depth * staged_rows / 2) +
         ";");
  w.line("const int8_t *y = " + streamed.from + ";");
  const char* registers = staged_rows == 4 ? "c, e" : "a, b, c, d, e";
  w.line("uint32_t " + std::string(registers) + ";");
  w.line("__asm__ volatile(");
  print_code(w, ".p2align 2");  // else a pass takes three cycles more on Cortex-M4
  print_code(w, "1:");
  for (int step = 0; step < (depth % (2 * kWord) == 0 ? 2 : 1); ++step)
    staged_rows == 4 ? print_four_by_one(w) : print_two_by_two(w);
  print_code(w, "cmp %[x], %[end]");
  print_code(w, "bne 1b");
  w.line(staged_rows == 4
             ? "    : [s00] \"+r\"(s00), [s10] \"+r\"(s10), [s20] \"+r\"(s20), [s30] \"+r\"(s30),"
             : "    : [s00] \"+r\"(s00), [s01] \"+r\"(s01), [s10] \"+r\"(s10), [s11] \"+r\"(s11),");
  if (staged_rows == 2) w.line("      [a] \"=&r\"(a), [b] \"=&r\"(b), [d] \"=&r\"(d),");
  w.line("      [x] \"+r\"(x), [y] \"+r\"(y), [c] \"=&r\"(c), [e] \"=&r\"(e)");
  w.line("    : [end] \"r\"(end)");
  w.line(std::string("    : ") + (staged_rows == 4 ? "\"r2\", \"r3\", \"r4\", \"r5\", " : "") +
         "\"cc\", \"memory\");");
  w.close();
}

// LDM loads registers in ascending order, so its words go to fixed registers.
void PairBlocks::print_four_by_one(CWriter& w) const {
  const auto products = [&](const char* pair) {
    for (int s = 0; s < staged_rows; ++s) {
      const std::string sum = "%[" + dot_sum(s, 0) + "]";
      print_code(w, "smlad " + sum + ", r" + number(2 + s) + ", %[" + pair + "], " + sum);
    }
  };
  const char* const load = "ldmia %[x]!, {r2, r3, r4, r5}";
  print_code(w, "ldr %[c], [%[y]], #4");
  print_code(w, "sxtb16 %[e], %[c]");
  print_code(w, load);
  products("e");
  print_code(w, "sxtb16 %[c], %[c], ror #8");
  print_code(w, load);
  products("c");
}

void PairBlocks::print_two_by_two(CWriter& w) const {
  const auto products = [&](int t, const std::string& pair) {
    for (int s = 0; s < staged_rows; ++s) {
      const std::string sum = "%[" + dot_sum(s, t) + "]";
      print_code(w, "smlad " + sum + (s == 0 ? ", %[a], %[" : ", %[b], %[") + pair + "], " + sum);
    }
  };
  print_code(w, "ldr %[d], [%[y], #" + number(streamed.step) + "]");
  print_code(w, "ldr %[c], [%[y]], #4");
  print_code(w, "ldrd %[a], %[b], [%[x]], #8");
  print_code(w, "sxtb16 %[e], %[c]");
  products(0, "e");
  print_code(w, "sxtb16 %[e], %[d]");
  products(1, "e");
  print_code(w, "ldrd %[a], %[b], [%[x]], #8");
  print_code(w, "sxtb16 %[c], %[c], ror #8");
  products(0, "c");
  print_code(w, "sxtb16 %[d], %[d], ror #8");
  products(1, "d");
}

// The zero point is added before the shift, so that shift and clamp are one instruction.
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
