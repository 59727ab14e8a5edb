// Consecutive operators computed strip by strip: who computes which rows when, and where they
// stand.
//
// The group's last tensor is computed some rows at a time. Every other operator computes just the
// rows that are still missing for that, so each row is computed once: the first strip fills the
// halos, later ones move on by as many rows as they use up. Of a tensor that only the group reads,
// nothing but a window of rows exists; rows that a later strip needs again are moved to the
// window's start, which costs a fraction of a percent of what computing them twice would.
//
// A network's input can be such a tensor too: its rows then come from the caller as strips need
// them, and it never exists as a whole. Where they come without end (frames), the group's last
// tensor is a window too: once it is full, each strip moves its rows up by one and computes the
// last.
//
// Rows that all readers have passed free their bytes: the group's output may run into its input
// from below (`distance`), so that a chain of large tensors needs one of them and a few rows.
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

/// Operators by their index in the model, both included.
struct StripGroup {
  int first = 0, last = 0;
  int rows = 1;  ///< of the last one's output, a strip
  /// Not kWhole: the network's one input arrives in rows, and only the group reads it.
  InputArrival input = InputArrival::kWhole;

  auto operator<=>(const StripGroup&) const = default;
};

/// What exists of a tensor that only its group reads.
struct RowWindow {
  int tensor = 0;
  int rows = 0;  ///< the most at once
  /// Steps. All of the group's, where rows stay between strips; else from its writer to its last
  /// reader, and other things may use the memory in between.
  int first_step = 0, last_step = 0;
};

/// An operator with as many rows as a strip gives it: equal ones are one variant. Most operators
/// have a first, which sees the padding above, one for all strips between, and a last.
struct StripVariant {
  size_t step = 0;
  IntegerOp form;
  int calls = 0;  ///< an inference
};

/// An operator computes some rows.
struct RowCall {
  size_t step = 0, variant = 0;
  RowRange in, out;
};

/// Rows at the start of a window that nobody needs any more make room: those behind them move up.
struct RowSlide {
  size_t window = 0;
  int dropped = 0, kept = 0;

  bool operator==(const RowSlide&) const = default;
};

struct Strip {
  int arrived = 0;               ///< rows of a streamed input that the calls need to be there
  std::vector<RowSlide> slides;  ///< before the calls
  std::vector<int> window_row;   ///< by window: the row of the tensor at its start, after slides
  std::vector<RowCall> calls;    ///< in the operators' order
};

/// `output`, the group's, may share memory with `input`, which ends in the group, if it begins at
/// least `distance` bytes before it.
struct RunsInto {
  int input = 0, output = 0;  ///< tensors
  int64_t distance = 0;
};

struct StripFlow {
  StripGroup group;
  int first_step = 0, last_step = 0;
  int output = 0;                    ///< the tensor that outlives the group
  std::optional<int> streamed = {};  ///< the input that arrives in rows; a window
  std::vector<RowMap> maps;          ///< by step of the group
  std::vector<RowWindow> windows;
  /// Where frames arrive, the last one is that of every later step.
  std::vector<Strip> strips;
  int hop = 0;  ///< rows of the input that a step takes; 0: no frames arrive
  std::vector<RowSlide> slides_of_step =
      {};  ///< before each step but the first, which is a strip's
  std::vector<StripVariant> variants;
  std::vector<RunsInto> runs_into;  ///< one for each tensor that the group reads and does not write

  const RowMap& map(size_t step) const { return maps[step - static_cast<size_t>(first_step)]; }
  std::optional<size_t> window_of(int tensor) const;
};

/// Which of the flows a step is in.
std::optional<size_t> flow_at(std::span<const StripFlow> flows, size_t step);

/// Bytes of one row of an image tensor.
int64_t row_bytes(const Tensor& tensor);

/// `ops` are the graph's operators in execution order. kUnsupported: an operator of the group, a
/// tensor of it that others read, or rows whose addresses would not be aligned as kernels expect.
Result<StripFlow> strip_flow(const Graph& graph, std::span<const IntegerOp> ops,
                             const StripGroup& group);

}  // namespace tinytune
