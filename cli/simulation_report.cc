#include "cli/simulation_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/table.h"
#include "cli/units.h"

namespace tinytune {
namespace {

std::string end_of(const ProgramReport& report) {
  switch (report.end) {
    case ProgramReport::End::kExit:
      return fmt::format("exit {} at {}", report.exit_status, report.end_place);
    case ProgramReport::End::kBreakpoint:
      return "breakpoint at " + report.end_place;
    case ProgramReport::End::kReturn:
      return fmt::format("{} returned {:#x}", report.end_place, report.return_value);
  }
  return "";
}

std::string share(uint64_t part, uint64_t all) {
  return fmt::format("{:.1f} %",
                     all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

std::string simulation_text(const ProgramReport& report, std::optional<uint64_t> clock_hz) {
  const Counts& counts = report.counts;
  Table table({"symbol", "cycles", "share", "instructions", "calls"});
  for (const ProgramReport::Symbol& symbol : report.symbols)
    table.add({symbol.name, grouped(symbol.cycles), share(symbol.cycles, counts.cycles),
               grouped(symbol.instructions), grouped(symbol.calls)});
  std::string text = table.text();
  for (const auto& [memory, cycles] : report.waits)
    text += fmt::format("waits for {}: {} cycles ({})\n", memory, grouped(cycles),
                        share(cycles, counts.cycles));
  text += fmt::format("total: {} instructions, {} cycles", grouped(counts.instructions),
                      grouped(counts.cycles));
  if (clock_hz) text += ", " + latency_text(counts.cycles, clock_hz);
  return text + "\n" + end_of(report) + "\n";
}

std::string simulation_json(const ProgramReport& report, const std::string& output) {
  using Json = nlohmann::ordered_json;
  constexpr const char* kEnds[] = {"exit", "breakpoint", "return"};
  Json waits = Json::object();
  for (const auto& [memory, cycles] : report.waits) waits[memory] = cycles;
  Json symbols = Json::array();
  for (const ProgramReport::Symbol& symbol : report.symbols)
    symbols.push_back({{"name", symbol.name},
                       {"cycles", symbol.cycles},
                       {"instructions", symbol.instructions},
                       {"calls", symbol.calls}});
  Json json = {{"stdout", output},
               {"exit", report.exit_status},
               {"end", kEnds[static_cast<int>(report.end)]},
               {"cycles", report.counts.cycles},
               {"instructions", report.counts.instructions},
               {"waits", std::move(waits)},
               {"symbols", std::move(symbols)}};
  if (report.end == ProgramReport::End::kReturn) json["return_value"] = report.return_value;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tinytune
