// Schedules a group of consecutive operators strip by strip: which rows each operator computes in
// which strip, and where these rows are stored.
//
// A strip computes a few rows of the group's last tensor. Every other operator computes only the
// rows that are still missing for them, so no row is computed twice: the first strip fills the
// halos, later strips advance by the rows that they consume. Of a tensor inside the group only a
// window of rows is stored. Rows that a later strip needs again are moved to the window's start,
// which costs a fraction of a percent of recomputing them.
//
// The network's input can be such a window too: the caller passes its rows as strips need them, and
// the whole input is never stored. If rows arrive without end (frames), the group's last tensor is
// also a window: once it is full, each strip moves its rows up by one and computes the last.
//
// Rows that all readers have passed free their bytes: the group's output may begin below its input
// and run into it (`distance`), so a chain of large tensors needs one of them and a few rows.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/strips/rows.h"
#include "models/graph.h"
#include "models/integer_op.h"
#include "tinytune/input_arrival.h"
#include "tinytune/result.h"

namespace tinytune {

/// A range of operators that run strip by strip, by index in the model, both ends included.
struct StripGroup {
  int first = 0, last = 0;
  int rows = 1;  ///< rows of the last operator's output per strip
  /// Unless kWhole, the network's only input arrives row by row and only the group reads it.
  InputArrival input = InputArrival::kWhole;

  auto operator<=>(const StripGroup&) const = default;
};

/// The stored rows of a tensor inside a group, of a streamed input or, with frames, of the output.
struct RowWindow {
  int tensor = 0;
  int rows = 0;  ///< most rows stored at once
  /// Live range in steps: the whole group if rows outlive a strip or arrive from the caller;
  /// otherwise from the writer to the last reader: other buffers may use the memory in other steps.
  int first_step = 0, last_step = 0;
};

/// An operator restricted to the rows of a strip; strips with equal row counts and padding share a
/// variant. Most operators have three: first strip (padding above), middle strips, last strip.
struct StripVariant {
  size_t step = 0;
  IntegerOp form;
  int calls = 0;  ///< per inference
};

/// One call of a variant: the rows that it reads and computes.
struct RowCall {
  size_t step = 0, variant = 0;
  RowRange in, out;
};

/// Drops the first rows of a window, which no later call reads, and moves the rest to its start.
struct RowSlide {
  size_t window = 0;
  int dropped = 0, kept = 0;

  bool operator==(const RowSlide&) const = default;
};

struct Strip {
  int arrived = 0;               ///< rows of a streamed input that must have arrived
  std::vector<RowSlide> slides;  ///< before the calls
  std::vector<int> window_row;   ///< by window: the row of the tensor at its start, after slides
  std::vector<RowCall> calls;    ///< in the operators' order
};

/// The group's `output` may overlap `input` if it begins at least `distance` bytes before it and
/// nothing reads `input` after the group.
struct RunsInto {
  int input = 0, output = 0;  ///< tensors
  int64_t distance = 0;
};

struct StripFlow {
  StripGroup group;
  int first_step = 0, last_step = 0;
  int output = 0;                    ///< the tensor that outlives the group
  std::optional<int> streamed = {};  ///< the input that arrives row by row; it is a window
  std::vector<RowMap> maps;          ///< by step of the group
  std::vector<RowWindow> windows;
  /// With frames, the last strip repeats in every later step.
  std::vector<Strip> strips;
  int hop = 0;  ///< input rows per step; 0: no frames arrive
  /// Slides before each repetition of the last strip; its first run has the strip's own.
  std::vector<RowSlide> slides_of_step = {};
  std::vector<StripVariant> variants;
  std::vector<RunsInto> runs_into;  ///< one per tensor from outside the group, unless streamed

  const RowMap& map(size_t step) const { return maps[step - static_cast<size_t>(first_step)]; }
  std::optional<size_t> window_of(int tensor) const;
};

/// Returns the index of the flow that contains `step`.
std::optional<size_t> flow_at(std::span<const StripFlow> flows, size_t step);

/// Bytes of one row of an image tensor.
int64_t row_bytes(const Tensor& tensor);

/// Plans a group. `ops` are the graph's operators in execution order. kUnsupported, e.g.: an
/// operator that cannot run by rows, an inner tensor that others read, rows at unaligned addresses.
Result<StripFlow> strip_flow(const Graph& graph, std::span<const IntegerOp> ops,
                             const StripGroup& group);

}  // namespace tinytune
