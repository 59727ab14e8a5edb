// What the command line said. The table of commands (command_table.h) says which command may say
// what; one struct for all of them, so that an option means the same wherever it is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/deploy.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"

namespace tinytune {

struct Arguments {
  // The network, and where it goes.
  std::string model, device;
  std::optional<std::string> records;  ///< a log
  std::vector<std::string> disabled_passes, externals, input_types, states;
  std::string layout = "nhwc";
  std::optional<uint64_t> ram, arena, flash, fast_ram;  ///< bytes

  // Searching.
  std::vector<std::string> priors;  ///< logs
  std::optional<uint64_t> trials;
  std::optional<double> budget_seconds;
  std::optional<uint64_t> early_stop;
  std::string tuner = "bayes";
  uint64_t seed = 1;
  uint64_t window = 16;
  std::optional<std::string> tasks;  ///< indices of `tune inspect`, as a list or one alone
  std::optional<int> workers;
  std::optional<double> board_patience_seconds;
  std::string listen, connect;             ///< addresses
  std::string only;                        ///< the half that a worker does: "build", "run"
  std::optional<std::string> keys;         ///< a directory that `tune keys` made
  bool insecure = false;                   ///< listen to other machines without them
  uint64_t days = 365;                     ///< that keys are good for
  std::string party = "worker";            ///< who gets them
  std::string scope = "build,run,device";  ///< what they allow
  bool token = false;                      ///< instead of a certificate
  bool once = false;                       ///< a worker ends with its tuner
  bool in_flash = false;                   ///< a worker measures in flash

  // Deploying.
  std::vector<std::string> more_models;  ///< that share the arena of `model`
  bool share_arena = false;
  std::string directory;
  std::string format = "cmake";
  std::string package_version = "1.0.0", package_url, package_licence;
  bool require_tuned = false;
  bool portable = false;
  bool compress_weights = false;
  bool bench = false;  ///< a program that prints cycles by layer
  std::vector<std::string> inputs, outputs;
  std::optional<std::string> input_set, labels;  ///< a folder or a file; a file
  bool reference = false;                        ///< the operators instead of kernels
  uint64_t steps = 1;
  bool verify = false;
  uint64_t cores = 1;
  std::string arrival;
  std::string stream_input;       ///< "rows"; empty: whole
  bool arena_front = false;       ///< what smaller arenas cost
  std::optional<std::string> on;  ///< a board's address
  std::optional<std::string> dump_directory;

  // Choosing a device.
  std::optional<double> most_milliseconds;  ///< of an inference

  // One operator.
  std::string workload;  ///< its description
  std::optional<std::string> constants;
  std::vector<std::string> emit;  ///< files, by extension
  std::string symbol = "kernel";
  bool apply = false;  ///< the log's best, without tuning

  // Logs as files.
  std::string action;  ///< "merge", "pick", …
  std::vector<std::string> logs;
  std::string output_file;
  std::string exchange = "csv";  ///< the format of an export

  // Many runs.
  std::string batch;                        ///< a file of runs
  std::string tuners = "xgb,random,grid";   ///< strategies to compare
  uint64_t seeds = 5;                       ///< of each
  std::string against;                      ///< a log whose promises are checked
  std::optional<double> tolerance_percent;  ///< how much slower still holds

  // Simulating a program.
  std::string program;   ///< an ELF file
  std::string function;  ///< to call; empty: run from the entry
  uint64_t instruction_limit = 10'000'000'000;

  // A report as a page.
  std::optional<std::string> html;     ///< the file to write
  std::optional<std::string> library;  ///< a CSV of what hand-written libraries need
  bool live = false;                   ///< serve it instead
  uint64_t port = 0;                   ///< there; 0: any

  // Boards.
  bool scan = false;               ///< list places instead of devices
  std::string prescreen;           ///< "simulator"
  std::string times;               ///< what a bench program printed
  std::vector<std::string> costs;  ///< figures of a device file
  std::string power_switch;        ///< a command

  // Telling.
  bool json = false, quiet = false;

  InputArrival input() const {
    if (stream_input.empty()) return InputArrival::kWhole;
    return stream_input == "rows" ? InputArrival::kRows : InputArrival::kFrames;
  }
  /// Of more cores than any device has, the least that is refused.
  int core_count() const { return static_cast<int>(std::min<uint64_t>(cores, 3)); }
  LoadOptions loading() const { return {disabled_passes, externals, input_types, states}; }
  MemoryLimits limits() const { return {ram, arena, flash, fast_ram}; }
};

}  // namespace tinytune
