#include "templates/packing.h"

#include <algorithm>

#include "base/little_endian.h"
#include "schedules/requantise.h"

namespace tinytune {

PackedConstant bytes_constant(std::string name, const std::vector<int8_t>& values) {
  return {std::move(name), 1, std::vector<uint8_t>(values.begin(), values.end())};
}

PackedConstant words_constant(std::string name, const std::vector<int32_t>& values) {
  return {std::move(name), 4, little_endian_bytes(values)};
}

std::vector<std::vector<int8_t>> weights_of_tile(const Workload& w, const LayerData& data,
                                                 int first, int count) {
  std::vector<std::vector<int8_t>> tile;
  for (int c = first; c < first + count; ++c) tile.push_back(channel_weights(w, data, c));
  return tile;
}

std::vector<std::vector<std::vector<int8_t>>> tiles_of_weights(const Workload& w,
                                                               const LayerData& data,
                                                               int channels) {
  std::vector<std::vector<std::vector<int8_t>>> tiles;
  for (int first = 0; first < w.out_c; first += channels)
    tiles.push_back(weights_of_tile(w, data, std::min(first, w.out_c - channels), channels));
  return tiles;
}

int32_t halves(int low, int high) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint16_t>(low)) |
                              static_cast<uint32_t>(static_cast<uint16_t>(high)) << 16);
}

}  // namespace tinytune
