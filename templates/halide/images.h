// Activations as Halide's loops see them: how images of either layout are bounded, read and padded.
//
// Loops name a value by channel, column, row and image; where these stand among a buffer's
// dimensions depends on the layout and is known here only. NHWC stores [image][row][column]
// [channel], NCHW [image][channel][row][column].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/workload.h"
#include "templates/input_window.h"
#include "templates/kernel_template.h"

namespace Halide {
struct Expr;
class Func;
class ImageParam;
class Module;
class OutputImageParam;
struct Target;
}  // namespace Halide

namespace tinytune {

/// Returns one value per dimension, innermost first.
template <typename T>
std::vector<T> in_storage_order(Layout layout, T channel, T column, T row, T image) {
  if (layout == Layout::kNhwc) return {channel, column, row, image};
  return {column, row, channel, image};
}

struct ImageExtents {
  int channels, columns, rows, images;
};

/// Bytes from a value of a dense image to its neighbours.
struct PlaceBytes {
  int64_t channel, column, row;
};
inline PlaceBytes place_bytes(Layout layout, int64_t channels, int64_t columns, int64_t rows) {
  if (layout == Layout::kNhwc) return {1, channels, channels * columns};
  return {columns * rows, 1, columns};
}

/// Fixes extents and strides of a dense image.
void bound_image(Layout layout, const ImageExtents& extents, Halide::OutputImageParam image);

/// Returns the input at a place of the window. With the border "test", places may lie outside and
/// then give the zero point.
Halide::Expr window_value(const Workload& workload, const InputWindow& window,
                          const Halide::ImageParam& input, const Halide::Expr& channel,
                          const Halide::Expr& column, const Halide::Expr& row,
                          const Halide::Expr& image);

/// Returns the target that Halide lowers for: plain loops, which LLVM then compiles for the core.
Halide::Target halide_target(const Device& device);

/// Lowers `function` and appends it to `module` as `symbol`. A kernel is one or more such stages:
/// Halide functions that run one after another on shared buffers, which are matched by name
/// (codegen/kernels/stage_code.h).
void append_stage(Halide::Module& module, const Halide::Func& function,
                  const std::vector<Halide::ImageParam>& inputs, const std::string& symbol);

/// Returns a kernel: the padding, if there is any, then `output`.
Lowered padded_kernel(const Workload& workload, const InputWindow& window,
                      const Halide::Func& output, const std::vector<Halide::ImageParam>& inputs,
                      const Device& device, const std::string& symbol);

}  // namespace tinytune
