// Prints the function that takes rows of the input as they arrive.
//
// Each row is copied into the window of waiting rows, and a strip is computed as soon as all of its
// rows are there. Two small tables hold, by strip, how many rows must have arrived and which row is
// first in the window. After the last row the rest of the network runs.
//
// Frames go on: the next window begins `hop` rows later, and only its last `hop` rows are missing.
#include <algorithm>

#include "codegen/networks/network_parts.h"
#include "codegen/networks/storage.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {
namespace {

std::string table(const std::string& name, const std::vector<int>& values) {
  std::string text = "  static const uint16_t " + name + "[] = {";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : i % 20 == 0 ? ",\n    " : ", ") + std::to_string(values[i]);
  return text + "};\n";
}

}  // namespace

std::string row_word(const RowStream& stream) { return stream.hop > 0 ? "frame" : "row"; }

std::string rows_word(const RowStream& stream) { return row_word(stream) + "s"; }

// If frames arrive, the last strip repeats in every later step; its entries count rows of that
// step's window. One more entry is for rows that wait behind it, which no strip of the step reads.
void say_what_strips_await(const StripFlow& flow, int rows, RowArrival& arrival) {
  const size_t window = *flow.window_of(*flow.streamed);
  for (const Strip& strip : flow.strips) {
    arrival.needed.push_back(strip.arrived);
    arrival.first.push_back(strip.window_row[window]);
  }
  if (flow.hop == 0) return;
  const int behind = arrival.first.back();
  arrival.needed.back() -= flow.hop;
  arrival.first.back() -= flow.hop;
  arrival.needed.push_back(rows + 1);
  arrival.first.push_back(behind);
}

std::string print_push_rows(const NetworkParts& parts) {
  const RowStream& stream = *parts.stream;
  const RowArrival& arrival = parts.arrival;
  const bool endless = stream.hop > 0;
  const std::string upper = c_upper(parts.name), words = c_upper(rows_word(stream));
  const size_t tables = arrival.needed.size();
  CWriter w(1);
  w.raw(table("needed", arrival.needed) + table("first", arrival.first));
  w.line("unsigned char *const base = (unsigned char *)arena;");
  const auto word = [&](uint32_t at) {
    return "(int32_t *)(base + " + std::to_string(arrival.progress + at) + ")";
  };
  w.line("int32_t *const arrived = " + word(RowProgress::kArrivedRows) + ";");
  w.line("int32_t *const strip = " + word(RowProgress::kComputedStrips) + ";");
  w.line("const unsigned char *from = (const unsigned char *)rows;");
  w.line("if (rows == NULL || count < 0 || count > " + std::to_string(stream.rows) +
         " - *arrived) return " + upper + "_ERROR_" + words + ";");
  w.open("for (; count > 0; --count, from += " + std::to_string(stream.row_bytes) + ")");
  // Last rows of an input that no strip reads are skipped; with frames, the next step reads them.
  const std::string more = "*strip < " + std::to_string(tables);
  if (!endless) w.open("if (" + more + ")");
  w.line("unsigned char *to = base + " + std::to_string(arrival.window) +
         " + (*arrived - first[*strip]) * " + std::to_string(stream.row_bytes) + ";");
  print_unrolled(w, stream.row_bytes, [&](const std::string& variable, int64_t added) {
    const std::string at = "[" + c_plus(variable, added) + "]";
    w.line("to" + at + " = from" + at + ";");
  });
  if (!endless) w.close();
  w.line("++*arrived;");
  w.open("while (" + (endless ? "" : more + " && ") + "*arrived >= needed[*strip])");
  w.line(arrival.strip_function + "(base);");
  if (endless) {
    // The last entry follows the strip that fills the window, and the strip of each later step.
    const std::string filled = std::to_string(tables - 3), waits = std::to_string(tables - 1);
    w.line("*strip = *strip < " + filled + " ? *strip + 1 : " + waits + ";").close();
  } else {
    w.line("++*strip;").close();
  }
  w.close();
  w.line("if (*arrived < " + std::to_string(stream.rows) + ") return " + upper + "_MORE_" + words +
         ";");
  if (endless)
    w.line("*arrived = " + std::to_string(stream.rows - stream.hop) + ";")
        .line("*strip = " + std::to_string(tables - 2) + ";");
  else
    w.line("*arrived = *strip = 0;");
  return w.text();
}

}  // namespace tinytune
