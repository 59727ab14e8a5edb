// Packs the weights of lane-packed dense layers (lanes_dense.cc): tiles of channels in groups of
// products, and the stream that the assembly of lane_pairs.h reads.
//
// The channel with the largest weights limits the groups of its tile. Sorting channels by the sum
// of their weights' magnitudes puts such channels into few tiles, so there are fewer groups; each
// output then costs two instructions more, to look up its place and add it to the output's address.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "templates/isa/rv32_ends.h"
#include "templates/lanes/lane_groups.h"
#include "templates/lanes/lane_pairs.h"
#include "templates/packing.h"

namespace tinytune {

/// The packed weights of one tile of channels.
struct PackedTile {
  std::vector<int> lengths;                    ///< products per group
  std::vector<std::vector<int32_t>> products;  ///< words of each product, for all channels
  std::vector<PairStart> starts;
};

/// Packs the tile of channels from `first` on.
inline Result<PackedTile> pack_tile(const Workload& w, const LayerData& data,
                                    const LanePairs& shape, int step, int first) {
  const auto tile = weights_of_tile(w, data, first, 2 * shape.pairs);
  PackedTile packed;
  TT_TRY_ASSIGN(packed.lengths, lane_groups(tile, {step, step, shape.longest}));
  for (size_t k = 0; k < tile[0].size(); ++k) {
    std::vector<int8_t> product;
    for (const std::vector<int8_t>& channel : tile) product.push_back(channel[k]);
    packed.products.push_back(shape.product_words(product));
  }
  for (int q = 0; q < shape.pairs; ++q) {
    const auto [low, high] = shape.channels_of(q);
    packed.starts.emplace_back(folded_bias(w, data, first + low),
                               folded_bias(w, data, first + high), packed.lengths.size());
  }
  return packed;
}

/// Returns the channels in the order in which tiles of this shape take them.
inline std::vector<int> channel_order(const Workload& w, const LayerData& data,
                                      const LanePairs& shape) {
  std::vector<int> magnitude, order(static_cast<size_t>(w.out_c));
  std::iota(order.begin(), order.end(), 0);
  if (!shape.scatters) return order;
  for (int c = 0; c < w.out_c; ++c) {
    int sum = 0;
    for (const int8_t weight : channel_weights(w, data, c)) sum += std::abs(weight);
    magnitude.push_back(sum);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return magnitude[static_cast<size_t>(a)] < magnitude[static_cast<size_t>(b)];
  });
  return order;
}

/// Returns a dense layer's constants with its channels in this order.
inline LayerData with_channels(const LayerData& data, const std::vector<int>& order) {
  LayerData ordered;
  const auto append = [&](const auto& from, auto& to) {
    const auto each = static_cast<std::ptrdiff_t>(from.size() / order.size());
    for (const int c : order)
      to.insert(to.end(), from.begin() + c * each, from.begin() + (c + 1) * each);
  };
  append(data.weights, ordered.weights);
  append(data.bias, ordered.bias);
  append(data.multiplier, ordered.multiplier);
  append(data.shift, ordered.shift);
  append(data.addend, ordered.addend);
  return ordered;
}

/// Returns whether shape.longest leaves at most 10 % more groups than the weights allow. Code for
/// each length pays then: a group costs three instructions fewer, some 12 %.
inline bool groups_are_short(const Workload& w, const LayerData& of_layer, const LanePairs& shape) {
  const LayerData data = with_channels(of_layer, channel_order(w, of_layer, shape));
  constexpr int kLongest = 64, kPercent = 110;
  size_t allowed = 0, groups = 0;
  for (int first = 0; first < w.out_c; first += 2 * shape.pairs) {
    const auto tile = weights_of_tile(w, data, first, std::min(2 * shape.pairs, w.out_c - first));
    const auto count = [&](int longest) -> size_t {
      const auto lengths = lane_groups(tile, {1, 1, longest});
      return lengths ? lengths->size() : 0;
    };
    allowed += count(kLongest), groups += count(shape.longest);
  }
  return groups * 100 <= allowed * kPercent;
}

/// Packs the stream of the assembly: levels; then, tile by tile, start values, groups and epilogue
/// words. Full tiles have the shape `tile`, the remaining channels the shape `rest`.
inline Result<std::vector<PackedConstant>> pack_stream(const Workload& w, const LayerData& of_layer,
                                                       const LanePairs& tile,
                                                       const LanePairs& rest) {
  const std::vector<int> order = channel_order(w, of_layer, tile);
  const LayerData data = with_channels(of_layer, order);
  TT_TRY_ASSIGN(const PackedEnds ends, pack_ends(w, data));
  if (tile.by_layer && !ends.are_alike())
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  if (tile.each_length() && !groups_are_short(w, of_layer, tile))
    return Error(ErrorCode::kUnsupported, "groups may be longer than what has code of its own");
  std::vector<int32_t> stream = ends.levels;
  const auto append = [&](const std::vector<int32_t>& words) {
    stream.insert(stream.end(), words.begin(), words.end());
  };
  for (int first = 0; first < w.out_c;) {
    const LanePairs& shape = first + 2 * tile.pairs <= w.out_c ? tile : rest;
    const int end = first + 2 * shape.pairs;
    TT_TRY_ASSIGN(const PackedTile packed, pack_tile(w, data, shape, 1, first));
    for (const PairStart& start : packed.starts) append({start.sum, start.high});
    size_t k = 0;
    for (const int length : packed.lengths) {
      append(shape.group_words(length));
      for (const size_t last = k + static_cast<size_t>(length); k < last; ++k)
        append(packed.products[k]);
    }
    append(shape.last_words(/*more_tiles=*/end + 2 * tile.pairs <= w.out_c));
    append(shape.place_words({order.begin() + first, order.begin() + end}));
    if (shape.by_layer) append(ends.channels[0]);
    for (int q = 0; q < shape.pairs && !shape.by_layer; ++q) {
      const auto [low, high] = shape.channels_of(q);
      for (const int c : {low, high}) append(ends.channels[static_cast<size_t>(first + c)]);
    }
    first = end;
  }
  return std::vector<PackedConstant>{words_constant("weights", stream)};
}

}  // namespace tinytune
