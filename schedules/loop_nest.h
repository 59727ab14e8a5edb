// What a schedule makes the machine do, as data: the cost model's only view of a kernel.
//
// A template describes each of its schedules without building it (no compiler involved), so that
// thousands can be ranked in milliseconds. Loops run from the outermost; an access lists its stride
// in bytes for every loop, 0 where it does not move, so footprints and reuse follow by arithmetic.
//
// What a nest claims can be counted of the program, and tests/templates/described_counts_test.cc
// does; NestCounts has it in terms of a simulator.
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
  /// Of its turns, over all its visits: below 1 where a last tile is narrower, or taps are left
  /// out.
  double taken = 1;
};

struct Access {
  std::string tensor;
  int element_bytes = 1;
  bool is_write = false;
  std::vector<int64_t> strides;  ///< bytes per step, one entry per loop, outermost first
  /// Loaded in a body, on average; 0: every place that its steps reach, once.
  double body_bytes = 0;
};

/// The main nest of a kernel. The body is what one step of all loops executes.
struct LoopNest {
  std::vector<Loop> loops;
  std::vector<Access> accesses;
  int64_t macs = 0;               ///< of the whole kernel
  double macs_per_step = 1;       ///< above 1 where a step stands for several
  double multiplies_per_mac = 1;  ///< below 1 where one instruction does several
  int accumulators = 1;           ///< live across the innermost serial loop
  int64_t outputs = 0;            ///< requantised values, recomputed ones included
  int64_t prologue_bytes = 0;     ///< copied before the nest: padding, staging
  int64_t unrolled_body = 1;      ///< steps in straight-line code: a measure of code size
  /// Choices that no loop shows (code-generator switches, epilogue style), by name.
  std::vector<std::pair<std::string, double>> switches;
};

/// What a nest claims of its program. Staging, spilled registers, requantisation and addresses are
/// in none of these; what LLVM merges where it unrolls a template's loops is.
struct NestCounts {
  /// Instructions that multiply what was computed from inputs alone by what was from weights.
  int64_t products = 0;
  /// Bytes loaded into registers for their factors, of inputs (or staged copies) and of weights;
  /// once for all products that a register serves. An array that inner loops do not move stays in
  /// registers, and so does what several steps of straight-line code read.
  int64_t input_bytes = 0, weight_bytes = 0;
  int64_t stored_bytes = 0;  ///< to the output
};
NestCounts counts_of(const LoopNest& nest);

}  // namespace tinytune
