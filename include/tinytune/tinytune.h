// tinytune: the fastest exact int8 kernels for a neural network on a microcontroller.
//
//   auto model = tinytune::Model::load("kws.tflite");
//   tinytune::TuneOptions options;
//   options.records = "kws.esp32c3.jsonl";
//   auto report = tinytune::tune_model(*model, "esp32c3", options);
//   tinytune::compile_model(*model, "esp32c3", "kws/", {.records = options.records});
//
// No exceptions, no RTTI: every call returns a Result (result.h). Cycles are the device's, sizes
// are bytes. Nothing here keeps global state; calls on different models and logs may run in
// parallel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tinytune/deploy.h"
#include "tinytune/explain.h"
#include "tinytune/footprint.h"
#include "tinytune/kernel.h"
#include "tinytune/layer.h"
#include "tinytune/layout.h"
#include "tinytune/log.h"
#include "tinytune/model.h"
#include "tinytune/package.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Returns the version, "0.2.0".
const char* version();

/// A device known to the library.
struct DeviceInfo {
  std::string name, description;        ///< for `--device`; for people
  std::string isa;                      ///< "rv32imc"
  std::optional<uint64_t> clock_hz;     ///< absent on pure instruction counters
  std::vector<std::string> transports;  ///< "simulator", "gdb", "serial"
  /// Memories to which `run` and `compile` copy from flash as far as space allows: "code sram2
  /// 64 KiB, weights sram3 364 KiB"; empty if nothing is copied.
  std::string fast_memory;
};

/// Returns the devices compiled into the library.
std::vector<DeviceInfo> list_devices();

}  // namespace tinytune
