#include "templates/input_window.h"

#include <Halide.h>

#include "templates/stages.h"

namespace tinytune {

namespace {

struct Extent {
  int height, width;
};

// What the taps reach, from the first one of the first output.
Extent reach(const Workload& w) {
  return {(w.out_h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1,
          (w.out_w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1};
}

}  // namespace

bool needs_border(const Workload& w) {
  const Extent extent = reach(w);
  return w.pad_top > 0 || w.pad_left > 0 || extent.height > w.in_h || extent.width > w.in_w;
}

Knob border_knob(const Workload& w) {
  if (!needs_border(w)) return {"border", {"none"}};
  return {"border", {"copy", "test"}};
}

InputWindow input_window(const Workload& w, std::string_view border) {
  InputWindow window{w.in_h, w.in_w, border == "copy", border == "test", 0};
  if (!window.copied) return window;
  const Extent extent = reach(w);
  window.height = extent.height;
  window.width = extent.width;
  window.bytes = (int64_t{w.batch} * extent.height * extent.width * w.in_c + 3) / 4 * 4;
  return window;
}

Halide::Expr window_value(const Workload& w, const InputWindow& window,
                          const Halide::ImageParam& input, const std::vector<Halide::Expr>& at) {
  if (!window.tested) return input(at);
  using Halide::Expr;
  const Halide::Func inside = Halide::BoundaryConditions::constant_exterior(
      input, Halide::cast<int8_t>(Expr(w.input_zero_point)),
      {{Expr(), Expr()}, {0, w.in_w}, {0, w.in_h}, {Expr(), Expr()}});
  return inside(at[0], at[1] - w.pad_left, at[2] - w.pad_top, at[3]);
}

const char* window_name(const InputWindow& window) { return window.copied ? "scratch" : "input"; }

void append_padding(Halide::Module& module, const Workload& w, const InputWindow& window,
                    const std::string& symbol) {
  using namespace Halide;
  if (!window.copied) return;
  const int row = w.in_w * w.in_c, padded_row = window.width * w.in_c, left = w.pad_left * w.in_c;
  const bool words = row % 4 == 0 && padded_row % 4 == 0 && left % 4 == 0;
  const int unit = words ? 4 : 1;
  const Type type = words ? Int(32) : Int(8);
  const auto byte = static_cast<uint32_t>(static_cast<uint8_t>(w.input_zero_point));
  const Expr border =
      words ? cast<int32_t>(Expr(byte * 0x01010101u)) : cast<int8_t>(Expr(w.input_zero_point));

  ImageParam input(type, 3, "input");
  const int columns = row / unit, padded_columns = padded_row / unit;
  input.dim(0).set_bounds(0, columns).set_stride(1);
  input.dim(1).set_bounds(0, w.in_h).set_stride(columns);
  input.dim(2).set_bounds(0, w.batch).set_stride(columns * w.in_h);
  Var i("i"), y("y"), n("n");
  const Func inside = BoundaryConditions::constant_exterior(
      input, border, {{0, columns}, {0, w.in_h}, {0, w.batch}});
  Func scratch("scratch");
  scratch(i, y, n) = inside(i - left / unit, y - w.pad_top, n);
  auto out = scratch.output_buffer();
  out.dim(0).set_bounds(0, padded_columns).set_stride(1);
  out.dim(1).set_bounds(0, window.height).set_stride(padded_columns);
  out.dim(2).set_bounds(0, w.batch).set_stride(padded_columns * window.height);
  append_stage(module, scratch, {input}, symbol);
}

}  // namespace tinytune
