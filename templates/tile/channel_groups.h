// Groups of channels, each a convolution of its own on a slice of every pixel.
//
// Once its inputs are staged, a group is a matrix product like that of a whole convolution: only
// pixel_tiles.h knows that its pixels are slices of longer ones. All groups run the same code, in a
// loop around it. So each group has constants in the layout of a whole convolution, including the
// words that all of its channels share, and the groups' constants are concatenated.
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

/// Returns one group as a convolution; the workload itself if it has a single group.
inline Workload one_group(Workload w) {
  w.in_c /= w.groups;
  w.out_c /= w.groups;
  w.groups = 1;
  return w;
}

/// A group's constants (by default those of the whole layer), and the distance from a pixel's
/// outputs to those of the next.
struct ChannelSlice {
  int64_t pixel_bytes;
  Value weights = argument("weights"), params = argument("params");
};

/// Calls `pack` for every group and concatenates the results. kUnsupported: `pack` refuses a group.
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
