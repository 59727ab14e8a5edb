// A batch: a TOML file of models, devices and settings, every combination a run.
//
//   models = ["kws.tflite", "vww.tflite"]       # paths from the file's own folder
//   devices = ["esp32c3", "cortex-m4"]
//   directory = "night"                         # logs and the summary
//   trials = 2000                               # of each run; or budget = "20m"
//   [[settings]]                                # none: one, with defaults
//   name = "auto"
//   layout = "auto"                             # also: ram, arena, flash, fast_ram (bytes), tuner,
//                                               # seed, trials, budget, early_stop, board_patience
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

struct BatchRun {
  std::string name;  ///< "kws.esp32c3.auto": its log is NAME.jsonl in the directory
  std::string model, device;
  TuneOptions options;  ///< without records, callbacks and workers
};

struct Batch {
  std::string directory;
  std::vector<BatchRun> runs;  ///< models, then devices, then settings
};

/// kNotFound, kInvalidInput: no such file, not TOML, a key that is missing, unknown or mistyped;
/// the message names it.
Result<Batch> read_batch(const std::string& path);

}  // namespace tinytune
