// Measurements for tests of the log.
#pragma once

#include <string>

#include "records/measurement.h"

namespace tinytune {

inline Measurement sample(int i = 0) {
  Measurement m;
  m.device = "esp32c3";
  m.device_hash = 0x0123456789abcdefULL;
  m.workload = "dense_s8 of sample " + std::to_string(i % 3);
  m.schedule = "dense/1 oc=" + std::to_string(i);
  m.outcome = Outcome::kOk;
  m.cycles = {static_cast<uint64_t>(1000 + (i * 37) % 100)};
  m.instructions = 900;
  m.code.code_bytes = 256;
  m.ram_bytes = 64;
  m.seed = 1;
  m.tuner = "xgb";
  m.tool = "tinytune test";
  m.time = "2026-01-01T00:00:00Z";
  return m;
}

}  // namespace tinytune
