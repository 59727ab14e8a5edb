#include "cli/shared_options.h"

#include <utility>

#include "search/strategy.h"
#include "tinytune/model.h"

namespace tinytune::options {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : separator) + word;
  return all;
}

}  // namespace

Option model() {
  return {
      .names = "--model",
      .field = &Arguments::model,
      .value = "FILE",
      .help = "Network: a .tflite file, C source with one in an array, or a quantised .onnx file",
      .required = true};
}

Option models() {
  Option option = model();
  option.help += " (may be repeated with --share-arena)";
  option.more = &Arguments::more_models;
  return option;
}

Option device() {
  return {
      .names = "--device",
      .field = &Arguments::device,
      .value = "NAME|FILE[@BOARD]",
      .help = "Device: a name from `tune devices`, or a device file; a board of it: @gdb:HOST:PORT",
      .required = true};
}

Option records(std::string help, std::string otherwise) {
  return {.names = "--records",
          .field = &Arguments::records,
          .value = "LOG",
          .help = std::move(help),
          .otherwise = std::move(otherwise)};
}

Option log() { return records("Tuning log to read", "default schedules"); }

Option optional(Option option, std::string otherwise) {
  option.required = false;
  option.otherwise = std::move(otherwise);
  return option;
}

Option required(Option option) {
  option.required = true;
  option.otherwise.clear();
  return option;
}

Option choice(std::string names, std::string Arguments::*field, std::vector<std::string> choices,
              std::string help, std::string otherwise) {
  std::string value = joined(choices, "|");
  return {.names = std::move(names),
          .field = field,
          .value = std::move(value),
          .help = std::move(help),
          .otherwise = std::move(otherwise),
          .syntax = Syntax::kChoice,
          .choices = std::move(choices)};
}

Option workers() {
  return {.names = "--workers",
          .field = &Arguments::workers,
          .value = "N",
          .help = "Processes to start here",
          .otherwise = "one per core",
          .syntax = Syntax::kCount};
}

Option board_patience(std::string otherwise) {
  return {.names = "--board-patience",
          .field = &Arguments::board_patience_seconds,
          .value = "TIME",
          .help = "Wait so long for a lost board, in seconds: 0, 60s, 5m, 2h",
          .otherwise = std::move(otherwise),
          .syntax = Syntax::kDurationOrNone};
}

Option trials() {
  return {.names = "--trials",
          .field = &Arguments::trials,
          .value = "N",
          .help = "Measurements in total, those in the log included",
          .otherwise = "64 per task",
          .syntax = Syntax::kPositive};
}

Option window() {
  return {.names = "--window",
          .field = &Arguments::window,
          .value = "N",
          .help = "Proposals under way at a time; another number is another run",
          .otherwise = "16",
          .syntax = Syntax::kPositive};
}

namespace {

Option budget() {
  return {.names = "--budget",
          .field = &Arguments::budget_seconds,
          .value = "TIME",
          .help = "Wall time of this run, in seconds: 90, 60s, 5m, 2h",
          .otherwise = "none",
          .syntax = Syntax::kDuration};
}

Option early_stop() {
  return {.names = "--early-stop",
          .field = &Arguments::early_stop,
          .value = "N",
          .help = "End after N trials in a row that made no task faster",
          .otherwise = "never",
          .syntax = Syntax::kPositive};
}

Option tuner() {
  std::vector<std::string> strategies;
  for (const std::string_view name : strategy_names()) strategies.emplace_back(name);
  return choice("--tuner", &Arguments::tuner, strategies, "Search strategy", "bayes");
}

Option seed() {
  return {.names = "--seed",
          .field = &Arguments::seed,
          .value = "S",
          .help = "Seed of the search: the same seed repeats a run",
          .otherwise = "1",
          .syntax = Syntax::kCount};
}

Option fast_ram() {
  return {
      .names = "--fast-ram",
      .field = &Arguments::fast_ram,
      .value = "BYTES|all|0",
      .help =
          "Limit in bytes on code and weights copied to fast memory; all: what fits; 0: none, and "
          "kernels count as measured in flash",
      .otherwise = "half of what the arena leaves free, or what --ram leaves",
      .syntax = Syntax::kBytesOrNone};
}

}  // namespace

std::vector<Option> searching() {
  return {trials(), budget(), early_stop(), tuner(), seed(), window()};
}

Option ram() {
  return {.names = "--ram",
          .field = &Arguments::ram,
          .value = "BYTES",
          .help = "Limit on RAM in bytes: arena, code and weights copied there, stack: 98304, 96K",
          .otherwise = "the device's",
          .syntax = Syntax::kBytes};
}

Option flash() {
  return {.names = "--flash",
          .field = &Arguments::flash,
          .value = "BYTES",
          .help = "Limit on flash in bytes: weights and code",
          .otherwise = "the device's",
          .syntax = Syntax::kBytes};
}

std::vector<Option> memory_limits() { return {ram(), arena(), flash(), fast_ram()}; }

std::vector<Option> loading() { return {disable_pass(), external(), input_type(), state()}; }

std::vector<Option> generating() { return {portable(), cores(), compress_weights(), arrival()}; }

std::vector<Option> all_of(std::initializer_list<std::vector<Option>> groups) {
  std::vector<Option> all;
  for (const std::vector<Option>& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

Option layout(std::string help) {
  return choice("--layout", &Arguments::layout, {"nhwc", "nchw", "auto"}, std::move(help), "nhwc");
}

Option layout_of_activations() { return layout("Layout of activations; auto by layer"); }

Option arena() {
  return {.names = "--arena",
          .field = &Arguments::arena,
          .value = "BYTES",
          .help = "Limit on the arena in bytes: tensors and scratch",
          .otherwise = "what its bytes are worth, or what --ram leaves",
          .syntax = Syntax::kBytes};
}

Option arena_front() {
  return {.names = "--arena-front",
          .field = &Arguments::arena_front,
          .help = "Say what smaller arenas cost in cycles: runs up to 16 more networks"};
}

Option stream_input() {
  return choice("--stream-input", &Arguments::stream_input, {"rows", "frames"},
                "Take the input some rows at a time, so that it never exists as a whole; frames: "
                "rows without end, of which a window slides over the last",
                "the whole input in the arena");
}

Option disable_pass() {
  std::string names;
  for (const PassInfo& pass : known_passes()) names += pass.name + ", ";
  return {.names = "--disable-pass",
          .field = &Arguments::disabled_passes,
          .value = "NAME",
          .help = "Leave out a graph pass (may be repeated): " + names + "all",
          .otherwise = "none"};
}

Option external() {
  return {.names = "--external",
          .field = &Arguments::externals,
          .value = "OPERATOR=FUNCTION.h",
          .help =
              "Leave an operator to a C function of yours, CUSTOM:name or a builtin (may be "
              "repeated); FUNCTION.c beside it is its code",
          .otherwise = "none"};
}

Option input_type() {
  return {.names = "--input-type",
          .field = &Arguments::input_types,
          .value = "NAME=uint8|int8|int32",
          .help =
              "Type of an input of an .onnx network of plain integers; NAME may be *, for all that "
              "nothing else tells (may be repeated)",
          .otherwise = "the type in the file"};
}

Option state() {
  return {.names = "--state",
          .field = &Arguments::states,
          .value = "INPUT=OUTPUT",
          .help =
              "Keep an output of an .onnx network as the next step's input, in the arena (may be "
              "repeated); an output longer along one axis leaves its last rows, a shorter one is "
              "new rows behind the input's",
          .otherwise = "none"};
}

Option portable() {
  return {.names = "--portable",
          .field = &Arguments::portable,
          .help = "Write kernels as plain C for any core, instead of assembly"};
}

Option cores() {
  return {.names = "--cores",
          .field = &Arguments::cores,
          .value = "1|2",
          .help = "Cores that share the layers, where the device has two",
          .otherwise = "1",
          .syntax = Syntax::kPositive};
}

Option compress_weights() {
  return {.names = "--compress-weights",
          .field = &Arguments::compress_weights,
          .help =
              "Keep weights of at most 128 values as indices in flash, and decode a layer's into "
              "the arena before it runs"};
}

Option arrival() {
  return {.names = "--arrive",
          .field = &Arguments::arrival,
          .value = "WAY",
          .help =
              "Have weights that stay in flash copied to the arena while the core computes, by a "
              "way that the device's file names (rp2040, rp2350: stream; rp2040: burst; "
              "esp32c3: preload), where that is faster",
          .otherwise = "none"};
}

Option keys(std::string help) {
  return {.names = "--keys",
          .field = &Arguments::keys,
          .value = "DIR",
          .help = std::move(help),
          .otherwise = "none"};
}

Option json() {
  return {.names = "--json", .field = &Arguments::json, .help = "Print one JSON object on stdout"};
}

Option quiet() {
  return {
      .names = "--quiet", .field = &Arguments::quiet, .help = "Print no progress; warnings stay"};
}

}  // namespace tinytune::options
