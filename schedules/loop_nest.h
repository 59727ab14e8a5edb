// Description of a schedule's loops and memory accesses: the cost model's only view of a kernel.
//
// A template describes each of its schedules without building it (no compiler involved), so that
// thousands can be ranked in milliseconds. Loops are listed from the outermost; an access has its
// stride in bytes for every loop, 0 where it does not move, so footprints and reuse follow by
// arithmetic.
//
// tests/templates/described_counts_test.cc compares these claims with counts of the built program;
// NestCounts expresses them in a simulator's terms.
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
  /// Average share of the iterations that execute: below 1 if a last tile is narrower, or taps are
  /// skipped.
  double taken = 1;
};

struct Access {
  std::string tensor;
  int element_bytes = 1;
  bool is_write = false;
  std::vector<int64_t> strides;  ///< bytes per step, one entry per loop, outermost first
  /// Average bytes loaded in a body; 0: every address that its steps reach, once.
  double body_bytes = 0;
};

/// The main loop nest of a kernel.
struct LoopNest {
  std::vector<Loop> loops;
  std::vector<Access> accesses;
  int64_t macs = 0;               ///< multiply-accumulates of the whole kernel
  double macs_per_step = 1;       ///< above 1 if a step stands for several
  double multiplies_per_mac = 1;  ///< below 1 if one instruction does several
  int accumulators = 1;           ///< accumulators live across the innermost serial loop
  int64_t outputs = 0;            ///< requantised values, recomputed ones included
  int64_t prologue_bytes = 0;     ///< bytes copied before the nest: padding, staging
  int64_t unrolled_body = 1;      ///< steps in straight-line code: a measure of code size
  /// Choices that loops do not show (code-generator switches, epilogue style), by name.
  std::vector<std::pair<std::string, double>> switches;
};

/// Counts that a nest claims for its program. They exclude staging, register spills, requantisation
/// and address computation, and include loads that LLVM merges when it unrolls a template's loops.
struct NestCounts {
  /// Instructions that multiply a value computed from inputs alone by one from weights.
  int64_t products = 0;
  /// Bytes loaded into registers for products' factors, of inputs (or staged copies) and weights;
  /// counted once for all products that use the register. An array that inner loops do not move
  /// stays in registers, and so do values that several steps of straight-line code read.
  int64_t input_bytes = 0, weight_bytes = 0;
  int64_t stored_bytes = 0;  ///< bytes stored to the output
};
NestCounts counts_of(const LoopNest& nest);

}  // namespace tinytune
