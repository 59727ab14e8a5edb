#include "templates/planes.h"

#include <Halide.h>

#include "templates/stages.h"

namespace tinytune {

void bound_planes(const Workload& w, const InputWindow& window, Halide::ImageParam& input) {
  const int plane = window.width * window.height;
  input.dim(0).set_bounds(0, window.width).set_stride(1);
  input.dim(1).set_bounds(0, window.height).set_stride(window.width);
  input.dim(2).set_bounds(0, w.in_c).set_stride(plane);
  input.dim(3).set_bounds(0, w.batch).set_stride(plane * w.in_c);
}

void bound_output_planes(const Workload& w, int columns, int rows, Halide::Func& output) {
  auto buffer = output.output_buffer();
  buffer.dim(0).set_bounds(0, columns).set_stride(1);
  buffer.dim(1).set_bounds(0, rows).set_stride(columns);
  buffer.dim(2).set_bounds(0, w.out_c).set_stride(columns * rows);
  buffer.dim(3).set_bounds(0, w.batch).set_stride(columns * rows * w.out_c);
}

Halide::Expr plane_value(const Workload& w, const InputWindow& window,
                         const Halide::ImageParam& input, const std::vector<Halide::Expr>& at) {
  if (!window.tested) return input(at);
  using Halide::Expr;
  const Halide::Func inside = Halide::BoundaryConditions::constant_exterior(
      input, Halide::cast<int8_t>(Expr(w.input_zero_point)),
      {{0, w.in_w}, {0, w.in_h}, {Expr(), Expr()}, {Expr(), Expr()}});
  return inside(at[0] - w.pad_left, at[1] - w.pad_top, at[2], at[3]);
}

void append_plane_padding(Halide::Module& module, const Workload& w, const InputWindow& window,
                          const std::string& symbol) {
  using namespace Halide;
  if (!window.copied) return;
  const bool words = w.in_w % 4 == 0 && window.width % 4 == 0 && w.pad_left % 4 == 0;
  const int unit = words ? 4 : 1, planes = w.batch * w.in_c;
  const int columns = w.in_w / unit, padded_columns = window.width / unit;
  const Type type = words ? Int(32) : Int(8);
  const auto byte = static_cast<uint32_t>(static_cast<uint8_t>(w.input_zero_point));
  const Expr border =
      words ? cast<int32_t>(Expr(byte * 0x01010101u)) : cast<int8_t>(Expr(w.input_zero_point));

  ImageParam input(type, 3, "input");
  input.dim(0).set_bounds(0, columns).set_stride(1);
  input.dim(1).set_bounds(0, w.in_h).set_stride(columns);
  input.dim(2).set_bounds(0, planes).set_stride(columns * w.in_h);
  Var x("x"), y("y"), p("p");
  const Func inside = BoundaryConditions::constant_exterior(
      input, border, {{0, columns}, {0, w.in_h}, {0, planes}});
  Func scratch("scratch");
  scratch(x, y, p) = inside(x - w.pad_left / unit, y - w.pad_top, p);
  auto out = scratch.output_buffer();
  out.dim(0).set_bounds(0, padded_columns).set_stride(1);
  out.dim(1).set_bounds(0, window.height).set_stride(padded_columns);
  out.dim(2).set_bounds(0, planes).set_stride(padded_columns * window.height);
  append_stage(module, scratch, {input}, symbol);
}

}  // namespace tinytune
