// What a schedule makes the machine do, as data: the cost model's only view of a kernel.
//
// A template describes each of its schedules without building it (no compiler involved), so that
// thousands can be ranked in milliseconds. Loops run from the outermost; an access lists its stride
// in bytes for every loop, 0 where it does not move, so footprints and reuse follow by arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tinytune {

struct Loop {
  enum class Kind { kSerial, kUnrolled };
  std::string name;
  int64_t extent = 1;
  Kind kind = Kind::kSerial;
  bool reduction = false;
};

struct Access {
  std::string tensor;
  int element_bytes = 1;
  bool is_write = false;
  std::vector<int64_t> strides;  ///< bytes per step, one entry per loop, outermost first
};

/// The main nest of a kernel. The body is what one step of all loops executes.
struct LoopNest {
  std::vector<Loop> loops;
  std::vector<Access> accesses;
  int64_t macs = 0;               ///< of the whole kernel
  double multiplies_per_mac = 1;  ///< below 1 where one instruction does several
  int accumulators = 1;           ///< live across the innermost serial loop
  int64_t outputs = 0;            ///< requantised values, recomputed ones included
  int64_t prologue_bytes = 0;     ///< copied before the nest: padding, staging
  int64_t unrolled_body = 1;      ///< steps in straight-line code: a measure of code size
  /// Choices that no loop shows (code-generator switches, epilogue style), by name.
  std::vector<std::pair<std::string, double>> switches;
};

}  // namespace tinytune
