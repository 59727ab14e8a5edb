#include "templates/least_cycles.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "templates/kernel_template.h"

namespace tinytune {
namespace {

#define KERNEL_TEMPLATE(row) +1
constexpr size_t kOwnTemplates = 0
#include "templates/kernels.inc"
    ;
#undef KERNEL_TEMPLATE

// Counts the pairs of output position and tap, along one axis, whose tap is inside the input.
int64_t taps_along(int out, int kernel, int in, int stride, int dilation, int pad) {
  int64_t inside = 0;
  for (int o = 0; o < out; ++o)
    for (int k = 0; k < kernel; ++k) {
      const int64_t at = int64_t{o} * stride + int64_t{k} * dilation - pad;
      inside += at >= 0 && at < in ? 1 : 0;
    }
  return inside;
}

int64_t products_of(const Workload& w) {
  if (w.op == OpKind::kDense) return w.macs();
  const int64_t per_tap =
      w.op == OpKind::kConv2d ? int64_t{w.out_c} * (w.in_c / w.groups) : int64_t{w.out_c};
  return int64_t{w.batch} * per_tap *
         taps_along(w.out_h, w.kernel_h, w.in_h, w.stride_h, w.dilation_h, w.pad_top) *
         taps_along(w.out_w, w.kernel_w, w.in_w, w.stride_w, w.dilation_w, w.pad_left);
}

// Winograd's 6x6 points make 16 outputs of 9 products each with 36.
int64_t products_saved_by_transforms(const Workload& w) {
  return w.op == OpKind::kConv2d && w.kernel_h > 1 && w.kernel_w > 1 ? 4 : 1;
}

// A 32-bit multiplication computes two lane products, Arm's DSP extension twice as many; the bound
// is twice that. Vectors have 128 bits, or as many as the device says.
int64_t most_products_a_cycle(const Target& target) {
  const std::string core = target.isa + " " + target.cpu + " " + target.features;
  for (const std::string_view vectors : {"zve", "mve", "cortex-m55", "cortex-m85"})
    if (core.find(vectors) != std::string::npos)
      return std::max<int64_t>(64, target.vector_bits / 2);
  return target.capabilities.contains(Capability::kDsp) ? 8 : 4;
}

}  // namespace

uint64_t least_cycles(const Workload& workload, const Device& device) {
  if (device.target.family == CoreFamily::kAnyC || kernel_templates().size() > kOwnTemplates)
    return 1;
  const int64_t at_once =
      most_products_a_cycle(device.target) * products_saved_by_transforms(workload);
  return static_cast<uint64_t>(std::max<int64_t>(1, products_of(workload) / at_once));
}

}  // namespace tinytune
