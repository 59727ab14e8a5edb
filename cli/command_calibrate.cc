#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "deploy/calibration/calibration.h"
#include "deploy/selection/layouts.h"

namespace tinytune {
namespace {

using namespace options;

struct CalibrateArguments : Arguments {
  std::string times;               ///< file with the output of a bench program
  std::vector<std::string> costs;  ///< costs of the device file to fit
  std::string output_file;
};

std::vector<Cost> fitted(const Calibration& calibration) {
  std::vector<Cost> costs;
  for (const FittedCost& fit : calibration.costs)
    if (fit.layers > 0) costs.push_back(fit.cost);
  return costs;
}

/// Writes a device file; the device's name is the file's stem. The text is parsed first, so that no
/// invalid file is written.
Status write_device(const CalibrateArguments& arguments, const Calibration& calibration) {
  const std::filesystem::path path = arguments.output_file;
  const std::string source = "tune calibrate: fitted to the layers of " +
                             std::filesystem::path(arguments.model).stem().string() + " on a board";
  TT_TRY_ASSIGN(const std::string text,
                device_file_with(arguments.device, path.stem().string(), calibration.device,
                                 fitted(calibration), source));
  TT_TRY(parse_device(text, path.string()));
  return write_file(path.string(), text);
}

Result<Calibration> fit(const CalibrateArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const BoardTimes times, load_board_times(arguments.times, console.sink()));
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, {arguments.disabled_passes}));
  CalibrationOptions options;
  options.network.records = arguments.records;
  TT_TRY_ASSIGN(options.network.layout, parse_layout_policy(arguments.layout));
  options.network.limits = arguments.limits();
  options.network.portable = arguments.portable;
  options.network.on_message = console.sink();
  options.costs = arguments.costs;
  TT_TRY_ASSIGN(Calibration calibration, calibrate(model, arguments.device, times, options));
  if (!arguments.output_file.empty()) TT_TRY(write_device(arguments, calibration));
  return calibration;
}

CalibratedLayer sum_of(const std::vector<CalibratedLayer>& layers) {
  CalibratedLayer sum;
  for (const CalibratedLayer& layer : layers) {
    sum.measured += layer.measured;
    sum.simulated += layer.simulated;
    sum.fitted += layer.fitted;
  }
  return sum;
}

std::string to_text(const Calibration& calibration) {
  Table layers({"layer", "op", "board", "simulated", "off", "fitted", "off"});
  const auto row = [&](const std::string& index, const std::string& op, const CalibratedLayer& of) {
    const auto off = [&](uint64_t cycles) {
      return of.measured == 0
                 ? "-"
                 : fmt::format(
                       "{:+.1f} %",
                       100 * (static_cast<double>(cycles) / static_cast<double>(of.measured) - 1));
    };
    layers.add({index, op, grouped(of.measured), grouped(of.simulated), off(of.simulated),
                grouped(of.fitted), off(of.fitted)});
  };
  for (const CalibratedLayer& layer : calibration.layers)
    row(std::to_string(layer.index), layer.op, layer);
  row("", "all", sum_of(calibration.layers));
  Table costs({"cost", "cycles", "fitted", "shows in"});
  for (const FittedCost& cost : calibration.costs)
    costs.add({name_of(cost.cost), std::to_string(cost.before),
               cost.layers > 0 ? std::to_string(cost.after) : "kept",
               fmt::format("{} layers", cost.layers)});
  return layers.text() + "\n" + costs.text() +
         fmt::format("\nerror by layer, mean: {:.2f} % before, {:.2f} % fitted\n",
                     100 * calibration.error_before, 100 * calibration.error_after);
}

std::string to_json(const Calibration& calibration) {
  const auto json_of = [](const CalibratedLayer& layer) {
    return nlohmann::ordered_json{
        {"measured", layer.measured}, {"simulated", layer.simulated}, {"fitted", layer.fitted}};
  };
  auto layers = nlohmann::ordered_json::array();
  for (const CalibratedLayer& layer : calibration.layers) {
    layers.push_back({{"index", layer.index}, {"op", layer.op}});
    layers.back().update(json_of(layer));
  }
  auto costs = nlohmann::ordered_json::array();
  for (const FittedCost& cost : calibration.costs)
    costs.push_back({{"cost", name_of(cost.cost)},
                     {"before", cost.before},
                     {"after", cost.after},
                     {"layers", cost.layers}});
  return nlohmann::ordered_json{{"error_before", calibration.error_before},
                                {"error_after", calibration.error_after},
                                {"costs", std::move(costs)},
                                {"layers", std::move(layers)}}
      .dump(2);
}

int run_calibrate(const CalibrateArguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Calibration> calibration = fit(arguments, console);
  if (!calibration) return console.fail(calibration.error());
  std::string text = arguments.json ? to_json(*calibration) : to_text(*calibration);
  if (!arguments.json && !arguments.output_file.empty())
    text += "next: tune --model " + arguments.model + " --device " + arguments.output_file + "\n";
  return console.result(text);
}

}  // namespace

Command calibrate_command() {
  return {.name = "calibrate",
          .summary = "Fit what a device file does not know to what a board took",
          .options =
              all_of({{model(),
                       device(),
                       {.names = "--times",
                        .field = own(&CalibrateArguments::times),
                        .value = "FILE",
                        .help = "File that `tune import-times` wrote, or the console's text",
                        .required = true},
                       {.names = "--fit",
                        .field = own(&CalibrateArguments::costs),
                        .value = "COST",
                        .help = "Cost to fit: timing.load_use, flash.fill_cycles; may be repeated",
                        .otherwise = "memories' waits, and what says it is unsourced"},
                       {.names = "-o,--to",
                        .field = own(&CalibrateArguments::output_file),
                        .value = "FILE",
                        .help = "Write a device file with the fitted figures",
                        .otherwise = "none"},
                       log(),
                       layout_of_activations()},
                      memory_limits(),
                      {disable_pass(), portable(), json()}}),
          .examples =
              "Model, records and limits are those that the timed package was compiled with.\n"
              "\n"
              "Example: tune calibrate --model kws.tflite --device esp32c3 --records "
              "kws.esp32c3.jsonl --times kws.times -o mychip.toml",
          .does = does<run_calibrate>()};
}

}  // namespace tinytune
