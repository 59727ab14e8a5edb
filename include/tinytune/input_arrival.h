// How a network is given its input.
#pragma once

namespace tinytune {
/// At once, or some rows at a time.
enum class InputArrival {
  kWhole,  ///< written into the arena
  /// Some rows at a time, of the one input, an image in NHWC. What is computed of them runs in
  /// strips (ADR 58), so that the whole input never exists. Without a limit on the arena it takes
  /// what the network would take otherwise less the input, or the least that strips reach if that
  /// is more.
  kRows,
  /// Rows without end, of which the input is the last ones: a window that slides over time, as in
  /// keyword spotting. What windows have in common is kept and computed once (ADR 54). Of layers
  /// that do not pad in time; the first one that does sees its whole input in each step.
  kFrames,
};

}  // namespace tinytune
