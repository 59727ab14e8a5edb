// Helpers of pack(): little-endian arrays, tiles of weights, halves of words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "schedules/requantise.h"
#include "templates/kernel_template.h"

namespace tinytune {

inline PackedConstant bytes_constant(std::string name, const std::vector<int8_t>& values) {
  return {std::move(name), 1, std::vector<uint8_t>(values.begin(), values.end())};
}

inline PackedConstant words_constant(std::string name, const std::vector<int32_t>& values) {
  return {std::move(name), 4, little_endian_bytes(values)};
}

/// Returns the weights of the tile of `count` output channels from `first` on, each channel in
/// reduction order. The last tile moves back to fit, as in ChannelLoop.
inline std::vector<std::vector<int8_t>> weights_of_tile(const Workload& w, const LayerData& data,
                                                        int first, int count) {
  first = std::min(first, w.out_c - count);
  std::vector<std::vector<int8_t>> tile;
  for (int c = first; c < first + count; ++c) tile.push_back(channel_weights(w, data, c));
  return tile;
}

/// Packs two 16-bit values into a word.
inline int32_t halves(int low, int high) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint16_t>(low)) |
                              static_cast<uint32_t>(static_cast<uint16_t>(high)) << 16);
}

/// The `may_pack` of kernels with a knob "right": evaluates `permits` once for each value of the
/// knob.
template <typename Values, typename Permits>
std::function<bool(const Schedule&)> may_shift_right(const Values& values, const Permits& permits) {
  std::vector<int> permitted;
  for (const auto& value : values)
    if (permits(std::stoi(value))) permitted.push_back(std::stoi(value));
  return [permitted](const Schedule& schedule) {
    return std::find(permitted.begin(), permitted.end(), schedule.get_int("right")) !=
           permitted.end();
  };
}

}  // namespace tinytune
