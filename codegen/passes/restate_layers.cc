#include "codegen/passes/restate_layers.h"

#include <utility>
#include <vector>

#include "codegen/passes/rewriting.h"
#include "codegen/passes/transposed_convolution.h"

namespace tinytune {
namespace {

// [row][channel] of a matrix is [column][channel] of an image of one row.
void see_rows_as_pixels(KernelOp& op) {
  Workload& w = op.workload;
  if (w.op != OpKind::kDense || w.batch == 1) return;
  w.op = OpKind::kConv2d;
  w.in_w = w.out_w = std::exchange(w.batch, 1);
}

std::vector<int8_t> transposed(const std::vector<int8_t>& from, size_t rows, size_t columns) {
  std::vector<int8_t> to(from.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      to[column * rows + row] = from[row * columns + column];
  return to;
}

// Weights [row][column][multiplied] become [multiplied][row][column].
void see_multiplier_as_channels(KernelOp& op) {
  Workload& w = op.workload;
  if (w.op != OpKind::kDepthwiseConv2d || w.in_c != 1 || w.out_c == 1) return;
  const auto taps = static_cast<size_t>(w.reduction()), channels = static_cast<size_t>(w.out_c);
  op.data.weights = transposed(op.data.weights, taps, channels);
  w.op = OpKind::kConv2d;
  w.depth_multiplier = 1;
}

// The reverse, of a convolution whose groups have one input channel each.
void see_groups_as_channels(KernelOp& op) {
  Workload& w = op.workload;
  if (w.op != OpKind::kConv2d || w.groups == 1 || w.groups != w.in_c) return;
  const auto taps = static_cast<size_t>(w.reduction()), channels = static_cast<size_t>(w.out_c);
  op.data.weights = transposed(op.data.weights, channels, taps);
  w.op = OpKind::kDepthwiseConv2d;
  w.depth_multiplier = w.out_c / w.in_c;
  w.groups = 1;
}

// Depthwise kernels slide along rows. Convolutions stay as they are: of a column they stage only a
// few rows of one pixel, of a row all of it.
void turn_column(KernelOp& op) {
  Workload& w = op.workload;
  if (w.op != OpKind::kDepthwiseConv2d || w.in_w != 1 || w.out_w != 1 || w.kernel_w != 1 ||
      w.pad_left != 0 || w.in_h == 1)
    return;
  w.in_w = std::exchange(w.in_h, 1);
  w.out_w = std::exchange(w.out_h, 1);
  w.kernel_w = std::exchange(w.kernel_h, 1);
  w.stride_w = std::exchange(w.stride_h, 1);
  w.dilation_w = std::exchange(w.dilation_h, 1);
  w.pad_left = std::exchange(w.pad_top, 0);
}

// Views a row as an image with rows of d pixels: every d-th pixel is then a column, and a window
// dilated by d is undilated along it. Columns stay dilated, since they may run in strips.
void fold_dilation(KernelOp& op) {
  Workload& w = op.workload;
  const int d = w.dilation_w;
  const bool is_row = w.in_h == 1 && w.out_h == 1 && w.kernel_h == 1 && w.pad_top == 0;
  if (w.op != OpKind::kConv2d || !is_row || d == 1 || w.kernel_w == 1 || w.stride_w != 1 ||
      w.in_w % d != 0 || w.out_w % d != 0 || w.pad_left % d != 0)
    return;
  w.in_h = w.in_w / d, w.in_w = d;
  w.out_h = w.out_w / d, w.out_w = d;
  w.kernel_h = std::exchange(w.kernel_w, 1);
  w.pad_top = std::exchange(w.pad_left, 0) / d;
  w.stride_h = w.dilation_h = w.dilation_w = 1;
}

}  // namespace

KernelOp restated(KernelOp op) {
  if (op.workload.layout == Layout::kNchw) return op;
  see_rows_as_pixels(op);
  see_groups_as_channels(op);
  see_multiplier_as_channels(op);
  fold_dilation(op);
  turn_column(op);
  return op;
}

void restate_layers(IntegerNetwork& network) {
  Rewriting rewriting(network);
  for (size_t step = 0; step < rewriting.steps(); ++step) {
    IntegerOp& form = rewriting.form(step);
    if (const auto* transposed = std::get_if<TransposeConvOp>(&form);
        transposed != nullptr && transposed->data_input == 0)
      if (auto convolution = convolution_of(*transposed)) {
        form = std::move(*convolution);
        rewriting.set_inputs(step, {rewriting.op(step).inputs[2]});
      }
    if (auto* kernel = std::get_if<KernelOp>(&form)) *kernel = restated(std::move(*kernel));
  }
}

}  // namespace tinytune
