// Phases of a transposed convolution.
//
// A phase is all output pixels with the same position modulo the strides; it is a convolution of
// the input with every stride-th tap. All phases together are one convolution of stride 1 with the
// channels of each, whose window is the union of theirs; taps that a phase lacks are zeros. Its
// channels [row of phases][column of phases][channel] are those of DEPTH_TO_SPACE.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tinytune {

/// One axis of the window that all phases share. `pad` is of the transposed window: output o gets
/// input i through tap o + pad - stride * i.
struct PhaseAxis {
  int kernel, stride, pad;
  int first = 0, last = 0;  ///< first and last input of the window of pixel 0

  PhaseAxis(int kernel_, int stride_, int pad_) : kernel(kernel_), stride(stride_), pad(pad_) {
    for (int phase = 0; phase < stride; ++phase)
      for (int tap = (phase + pad) % stride; tap < kernel; tap += stride) {
        first = std::min(first, (phase + pad - tap) / stride);
        last = std::max(last, (phase + pad - tap) / stride);
      }
  }
  int taps() const { return last - first + 1; }
  /// Returns the transposed tap for the i-th of the shared window; nullopt if the phase has none.
  std::optional<int> tap_of(int phase, int i) const {
    const int tap = phase + pad - stride * (first + i);
    return tap >= 0 && tap < kernel ? std::optional(tap) : std::nullopt;
  }
};

/// Returns whether one convolution pays off: no more than 5 of 9 taps are zeros.
inline bool has_few_zeros(const PhaseAxis& rows, const PhaseAxis& columns) {
  const int64_t shared = int64_t{rows.taps()} * rows.stride * columns.taps() * columns.stride;
  return shared * 4 <= int64_t{rows.kernel} * columns.kernel * 9;
}

/// Calls append(channel, tap) for the taps of [row of phases][column of phases][channel][row of the
/// shared window][its column] in turn. `tap` counts the transposed kernel's, row by row; nullopt if
/// the phase lacks it.
template <typename Append>
void for_each_tap(const PhaseAxis& rows, const PhaseAxis& columns, int channels, Append append) {
  for (int row = 0; row < rows.stride; ++row)
    for (int column = 0; column < columns.stride; ++column)
      for (int channel = 0; channel < channels; ++channel)
        for (int y = 0; y < rows.taps(); ++y)
          for (int x = 0; x < columns.taps(); ++x) {
            const auto tap_y = rows.tap_of(row, y), tap_x = columns.tap_of(column, x);
            append(channel,
                   tap_y && tap_x ? std::optional(*tap_y * columns.kernel + *tap_x) : std::nullopt);
          }
}

/// Repeats the values of all channels for each phase.
template <typename Value>
std::vector<Value> for_all_phases(const std::vector<Value>& values, int phases) {
  std::vector<Value> all;
  for (int phase = 0; phase < phases; ++phase) all.insert(all.end(), values.begin(), values.end());
  return all;
}

}  // namespace tinytune
