// ONNX's AveragePool of windows smaller than the image, as onnxruntime's QLinearAveragePool
// computes it: adds float32 numbers one by one, so the result includes each sum's rounding.
#include <bit>

#include "models/byte_steps.h"
#include "models/operators/onnx_scale.h"

namespace tinytune {
namespace {

// Returns the numbers of bytes that windows may have.
std::vector<int> counts_of(const PoolOp& op) {
  const auto along = [](int out, int in, int filter, int stride, int pad) {
    std::vector<int> extents;
    for (int o = 0; o < out; ++o) {
      const int first = o * stride - pad;
      extents.push_back(std::min(first + filter, in) - std::max(first, 0));
    }
    std::sort(extents.begin(), extents.end());
    extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
    return extents;
  };
  std::vector<int> counts;
  for (const int rows : along(op.out_h, op.in_h, op.filter_h, op.stride_h, op.pad_top))
    for (const int columns : along(op.out_w, op.in_w, op.filter_w, op.stride_w, op.pad_left))
      counts.push_back(std::max(rows, 0) * std::max(columns, 0));
  return counts;
}

}  // namespace

Result<IntegerOp> onnx_pool_form(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  const auto& a = std::get<WindowMeanAttributes>(view.op().attributes);
  for (const Tensor* t : {&input, &output}) {
    TT_TRY(view.require_int8(*t));
    TT_TRY(view.require_rank(*t, 4));
  }
  FloatPoolOp form;
  PoolOp& op = form.pool;
  op.batch = input.shape[0], op.channels = input.shape[3];
  op.in_h = input.shape[1], op.in_w = input.shape[2];
  op.out_h = output.shape[1], op.out_w = output.shape[2];
  op.filter_h = a.filter_h, op.filter_w = a.filter_w;
  op.stride_h = a.stride_h, op.stride_w = a.stride_w;
  op.pad_top = a.pad_top, op.pad_left = a.pad_left;
  const FloatScale in(input), out(output);
  for (int x = -128; x < 128; ++x) form.terms.push_back(std::bit_cast<uint32_t>(in.real(x)));
  const auto zero = static_cast<float>(out.zero + a.offset);
  for (const int count : counts_of(op)) {
    if (count < 1) return view.unsupported("a window that lies outside its input");
    form.steps[count] = find_byte_steps(kLeastFloatKey, kMostFloatKey, [&](int32_t key) {
      const float mean = float_of_key(key) / static_cast<float>(count);
      return FloatScale::whole(mean / out.scale + zero) - a.offset;
    });
    if (form.steps.size() > 64) return view.unsupported("windows of more than 64 sizes");
  }
  return IntegerOp(std::move(form));
}

}  // namespace tinytune
