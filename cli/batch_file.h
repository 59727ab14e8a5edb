// A batch: a TOML file of models, devices and settings; every combination is a run.
//
//   models = ["kws.tflite", "vww.tflite"]       # paths relative to this file
//   devices = ["esp32c3", "cortex-m4"]
//   directory = "night"                         # for logs and the summary
//   trials = 2000                               # per run; or budget = "20m"
//   [[settings]]                                # without any: one setting, with defaults
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

/// kNotFound, kInvalidInput: no such file, not TOML, or a missing, unknown or mistyped key, which
/// the message names.
Result<Batch> read_batch(const std::string& path);

}  // namespace tinytune
