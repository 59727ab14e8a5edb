#include "codegen/networks/channel_parts.h"

#include <vector>

namespace tinytune {
namespace {

template <typename T>
std::vector<T> some(const std::vector<T>& all, int64_t begin, int64_t count) {
  if (all.empty()) return {};
  return {all.begin() + begin, all.begin() + begin + count};
}

}  // namespace

bool has_channel_parts(const Workload& w) {
  return w.batch * w.out_h * w.out_w == 1 && w.op != OpKind::kDepthwiseConv2d && w.groups == 1;
}

KernelOp computing_channels(const KernelOp& op, int begin, int count) {
  KernelOp part = op;
  part.workload.out_c = count;
  const LayerData& all = op.data;
  const int64_t terms = op.workload.reduction();
  part.data = {some(all.weights, begin * terms, count * terms), some(all.bias, begin, count),
               some(all.multiplier, begin, count), some(all.shift, begin, count),
               some(all.addend, begin, count)};
  return part;
}

}  // namespace tinytune
