// Holds the values of options that several commands share (shared_options.h). Each command derives
// a struct with the values of its own options, in command_NAME.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/deploy.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"

namespace tinytune {

struct Arguments {
  virtual ~Arguments() = default;

  // The network.
  std::string model, device;
  std::vector<std::string> more_models;  ///< models that share the arena of `model`
  std::optional<std::string> records;    ///< path of a log
  std::vector<std::string> disabled_passes, externals, input_types, states;
  std::string layout = "nhwc";
  std::optional<uint64_t> ram, arena, flash, fast_ram;  ///< bytes
  bool portable = false;
  bool compress_weights = false;
  uint64_t cores = 1;
  std::string arrival;
  std::string stream_input;  ///< "rows" or "frames"; empty: whole
  bool arena_front = false;  ///< report the cycles of smaller arenas

  // Searching.
  std::optional<uint64_t> trials;
  std::optional<double> budget_seconds;
  std::optional<uint64_t> early_stop;
  std::string tuner = "bayes";
  uint64_t seed = 1;
  uint64_t window = 16;
  std::optional<int> workers;
  std::optional<double> board_patience_seconds;
  std::optional<std::string> keys;  ///< directory made by `tune keys`

  // Output.
  bool json = false, quiet = false;

  InputArrival input() const {
    if (stream_input.empty()) return InputArrival::kWhole;
    return stream_input == "rows" ? InputArrival::kRows : InputArrival::kFrames;
  }
  /// Returns the number of cores, limited to 3, which is refused on every device.
  int core_count() const { return static_cast<int>(std::min<uint64_t>(cores, 3)); }
  LoadOptions loading() const { return {disabled_passes, externals, input_types, states}; }
  MemoryLimits limits() const { return {ram, arena, flash, fast_ram}; }
};

}  // namespace tinytune
