// Fuses PAD into the padding of the convolutions that read it.
//
// A convolution leaves taps outside its input out of the sum, and a tap on a stored zero point adds
// nothing to it. So a PAD of rows and columns with the reader's zero point need not be stored: its
// readers pad themselves. Pools are left alone, since they count the taps inside.
#include <algorithm>

#include "codegen/passes/rewriting.h"

namespace tinytune {
namespace {

struct SpatialPadding {
  int top = 0, left = 0, bottom = 0, right = 0;
};

// Returns the padding of a PAD that only adds rows and columns to images.
std::optional<SpatialPadding> spatial_padding(Rewriting& network, size_t step) {
  const auto* move = std::get_if<MoveOp>(&network.form(step));
  if (move == nullptr || !move->filled || move->boxes.size() != 1) return std::nullopt;
  const Operator& op = network.op(step);
  const std::vector<int>& in = network.graph().tensor(op.inputs[0]).shape;
  const std::vector<int>& out = network.graph().tensor(op.outputs[0]).shape;
  if (in.size() != 4 || out.size() != 4 || in[0] != out[0] || in[3] != out[3]) return std::nullopt;
  const int64_t pixel = move->boxes[0].output_offset / out[3];
  SpatialPadding pad;
  pad.top = static_cast<int>(pixel / out[2]);
  pad.left = static_cast<int>(pixel % out[2]);
  pad.bottom = out[1] - in[1] - pad.top;
  pad.right = out[2] - in[2] - pad.left;
  return pad;
}

// Every window must still touch the input: kernels are made for padding that TFLite can express.
bool can_take(const IntegerOp& form, const SpatialPadding& pad, int fill) {
  const auto* kernel = std::get_if<KernelOp>(&form);
  if (kernel == nullptr || kernel->workload.op == OpKind::kDense) return false;
  const Workload& w = kernel->workload;
  const int rows = (w.kernel_h - 1) * w.dilation_h, columns = (w.kernel_w - 1) * w.dilation_w;
  const auto below = [](int out, int stride, int window, int extent, int before) {
    return std::max(0, (out - 1) * stride + window - extent - before);
  };
  return w.input_zero_point == fill && pad.top + w.pad_top <= rows &&
         pad.left + w.pad_left <= columns &&
         pad.bottom + below(w.out_h, w.stride_h, rows + 1, w.in_h, w.pad_top) <= rows &&
         pad.right + below(w.out_w, w.stride_w, columns + 1, w.in_w, w.pad_left) <= columns;
}

void fuse_into_readers(Rewriting& network, size_t step) {
  const auto pad = spatial_padding(network, step);
  if (!pad) return;
  const Operator& op = network.op(step);
  const int fill = std::get<MoveOp>(network.form(step)).fill;
  const std::vector<size_t> readers = network.readers_of(op.outputs[0]);
  if (readers.empty() || network.is_output(op.outputs[0]) ||
      !std::all_of(readers.begin(), readers.end(),
                   [&](size_t reader) { return can_take(network.form(reader), *pad, fill); }))
    return;
  for (const size_t reader : readers) {
    Workload& w = std::get<KernelOp>(network.form(reader)).workload;
    w.in_h -= pad->top + pad->bottom;
    w.in_w -= pad->left + pad->right;
    w.pad_top += pad->top;
    w.pad_left += pad->left;
    std::vector<int> inputs = network.op(reader).inputs;
    std::replace(inputs.begin(), inputs.end(), op.outputs[0], op.inputs[0]);
    network.set_inputs(reader, std::move(inputs));
  }
  network.absorb(step, network.op(readers[0]).index);
}

}  // namespace

void fuse_padding(IntegerNetwork& network) {
  Rewriting rewriting(network);
  for (size_t step = 0; step < rewriting.steps(); ++step) fuse_into_readers(rewriting, step);
}

}  // namespace tinytune
