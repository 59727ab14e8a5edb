// Groups of channels, each a convolution of its own on a slice of every pixel.
//
// What a group multiplies is a matrix like any other once its inputs are staged: only the frame
// (pixel_tiles.h) knows that its pixels are slices of longer ones. A kernel's code is the same for
// all groups, in a loop around it; so each group has constants as a whole convolution would, one
// group's behind the other's, and those that all of its channels share stand behind its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// A group as a convolution; the workload itself if there is but one.
inline Workload one_group(Workload w) {
  w.in_c /= w.groups;
  w.out_c /= w.groups;
  w.groups = 1;
  return w;
}

/// What a kernel reads and writes besides inputs: the constants of a group (one for all, unless
/// said otherwise), and how far a pixel's outputs are from the next one's.
struct ChannelSlice {
  int64_t pixel_bytes;
  Value weights = argument("weights"), params = argument("params");
};

/// `pack` of every group, joined. kUnsupported: what it refuses.
inline Result<std::vector<PackedConstant>> pack_groups(
    const Workload& w, const LayerData& data,
    const std::function<Result<std::vector<PackedConstant>>(const Workload&, const LayerData&)>&
        pack) {
  if (w.groups == 1) return pack(w, data);
  const Workload group = one_group(w);
  std::vector<PackedConstant> all;
  for (int g = 0; g < w.groups; ++g) {
    const auto of_group = [g](const auto& values, int64_t size) {
      const auto from = values.begin() + g * size;
      return std::decay_t<decltype(values)>(from, from + size);
    };
    TT_TRY_ASSIGN(
        const auto constants,
        pack(group,
             {.weights = of_group(data.weights, group.weight_bytes()),
              .bias = of_group(data.bias, group.out_c),
              .multiplier = of_group(data.multiplier, group.out_c),
              .shift = of_group(data.shift, group.out_c),
              .addend = data.addend.empty() ? data.addend : of_group(data.addend, group.out_c)}));
    if (all.empty()) {
      all = constants;
      continue;
    }
    for (size_t i = 0; i < all.size(); ++i)
      all[i].bytes.insert(all[i].bytes.end(), constants[i].bytes.begin(), constants[i].bytes.end());
  }
  return all;
}

}  // namespace tinytune
