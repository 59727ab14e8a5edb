#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "deploy/calibration/board_times.h"
#include "records/measurement.h"

namespace tinytune {
namespace {

using namespace options;

struct ImportTimesArguments : Arguments {
  std::string times;  ///< file with the output of a bench program
  std::string output_file;
};

using Cycles = std::vector<uint64_t>;

Result<BoardTimes> import(const ImportTimesArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(BoardTimes times, load_board_times(arguments.times, console.sink()));
  if (!arguments.output_file.empty()) TT_TRY(write_file(arguments.output_file, times.lines));
  return times;
}

std::string to_text(const BoardTimes& times) {
  Table table({"layer", "op", "median", "least", "most"});
  const auto row = [&](const std::string& layer, const std::string& op, const Cycles& cycles) {
    if (cycles.empty()) return table.add({layer, op, "-", "-", "-"});
    const auto [least, most] = std::ranges::minmax(cycles);
    table.add({layer, op, grouped(median_of(cycles)), grouped(least), grouped(most)});
  };
  for (const BoardTimes::Layer& layer : times.layers)
    row(std::to_string(layer.index), layer.op, layer.cycles);
  row("", "inference", times.inference);
  return fmt::format("cycles of {} on {}, by its own counter\n{}", times.network, times.device,
                     table.text()) +
         (times.exact == true ? "exact: every output byte was the reference's\n" : "");
}

std::string to_json(const BoardTimes& times) {
  auto layers = nlohmann::ordered_json::array();
  for (const BoardTimes::Layer& layer : times.layers)
    layers.push_back({{"index", layer.index}, {"op", layer.op}, {"cycles", layer.cycles}});
  nlohmann::ordered_json all = {
      {"network", times.network},          {"device", times.device},
      {"library", to_text(times.library)}, {"exact", nullptr},
      {"layers", std::move(layers)},       {"inference", times.inference}};
  if (times.exact) all["exact"] = *times.exact;
  return all.dump(2);
}

int run_import_times(const ImportTimesArguments& arguments, const Context& context) {
  const Result<BoardTimes> times = import(arguments, context.console);
  if (!times) return context.console.fail(times.error());
  const int told = context.console.result(arguments.json ? to_json(*times) : to_text(*times));
  return times->exact == false ? kExitFailed : told;
}

}  // namespace

Command import_times_command() {
  return {.name = "import-times",
          .summary = "Read what a chip's console showed of its layers' cycles",
          .options = {{.names = "CONSOLE",
                       .field = own(&ImportTimesArguments::times),
                       .help = "Text of the console, with the lines of a package's bench program",
                       .required = true},
                      {.names = "-o,--to",
                       .field = own(&ImportTimesArguments::output_file),
                       .value = "FILE",
                       .help = "Write those lines alone here",
                       .otherwise = "none"},
                      json()},
          .examples =
              "For chips without a debug probe: `tune compile --bench` writes the program.\n"
              "\n"
              "Example: tune import-times console.txt -o kws.times",
          .does = does<run_import_times>(),
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
