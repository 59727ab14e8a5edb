// How the caller passes a network its input: whole, by rows, or as a sliding window.
#pragma once

namespace tinytune {
/// Delivery of a network's input.
enum class InputArrival {
  kWhole,  ///< written into the arena at once
  /// Some rows at a time of the only input, an NHWC image. The layers that read them run in strips
  /// (ADR 58), so that the whole input never exists. Without a limit the arena takes the bytes of
  /// kWhole less the input, or the smallest arena that strips reach if that is larger.
  kRows,
  /// An endless stream of rows. The input is a window of the latest rows that slides over time, as
  /// in keyword spotting. Results that windows share are kept and computed once (ADR 54), for
  /// layers that do not pad in time; the first layer that does reads its whole input in each step.
  kFrames,
};

}  // namespace tinytune
