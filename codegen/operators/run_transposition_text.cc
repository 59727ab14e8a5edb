#include "codegen/operators/run_transposition_text.h"

namespace tinytune {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

std::vector<int> cycles_of(const RunTransposition& t) {
  const int runs = t.pixels * t.rows;
  std::vector<bool> seen(static_cast<size_t>(runs));
  std::vector<int> order;
  for (int first = 0; first < runs; ++first) {
    if (seen[static_cast<size_t>(first)] || t.source_of(first) == first) continue;
    for (int run = first; !seen[static_cast<size_t>(run)]; run = t.source_of(run)) {
      seen[static_cast<size_t>(run)] = true;
      order.push_back(run);
    }
    order.push_back(first);
  }
  return order;
}

}  // namespace

RunCycles::RunCycles(const RunTransposition& t) {
  const std::vector<int> order = cycles_of(t);
  const int runs = t.pixels * t.rows;
  type = runs <= 256 ? CType::kUint8 : runs <= INT16_MAX ? CType::kInt16 : CType::kInt32;
  count = order.size();
  for (const int run : order)
    for (int byte = 0; byte < size_of(type); ++byte)
      bytes.push_back(static_cast<uint8_t>(run >> (8 * byte)));
}

void print_run_transposition(CWriter& w, const RunTransposition& t, const RunCycles& cycles,
                             const std::string& array, const std::string& address) {
  const bool words = t.run_bytes % 4 == 0;
  const int64_t run = words ? t.run_bytes / 4 : t.run_bytes;
  const int64_t at_once = run % 4 == 0 ? 4 : run % 2 == 0 ? 2 : 1;
  const std::string unit = words ? "uint32_t" : "uint8_t", index = name_of(cycles.type);
  const auto each = [&](const auto& statement) {
    for (int64_t i = 0; i < at_once; ++i) w.line(statement(number(i)));
  };
  w.open("").line(unit + " *runs = (" + unit + " *)" + address + ";");
  w.loop("block", t.blocks).loop("part", run, at_once);
  w.line("const " + index + " *next = " + array + ";");
  w.open("while (next != " + array + " + " + number(static_cast<int64_t>(cycles.count)) + ")");
  w.line("const int32_t first = *next;");
  w.line(unit + " *to = runs + first * " + number(run) + " + part;");
  each([&](const std::string& i) { return "const " + unit + " kept" + i + " = to[" + i + "];"; });
  w.open("while (*++next != first)");
  w.line(unit + " *const from = runs + *next * " + number(run) + " + part;");
  each([&](const std::string& i) { return "to[" + i + "] = from[" + i + "];"; });
  w.line("to = from;").close();
  each([&](const std::string& i) { return "to[" + i + "] = kept" + i + ";"; });
  w.line("++next;").close().close();
  w.line("runs += " + number(run * t.pixels * t.rows) + ";").close().close();
}

}  // namespace tinytune
