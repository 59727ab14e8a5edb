#include "templates/halide/images.h"

#include <Halide.h>

namespace tinytune {

void bound_image(Layout layout, const ImageExtents& e, Halide::OutputImageParam image) {
  int stride = 1, dimension = 0;
  for (const int extent : in_storage_order(layout, e.channels, e.columns, e.rows, e.images)) {
    image.dim(dimension++).set_bounds(0, extent).set_stride(stride);
    stride *= extent;
  }
}

Halide::Expr window_value(const Workload& w, const InputWindow& window,
                          const Halide::ImageParam& input, const Halide::Expr& channel,
                          const Halide::Expr& column, const Halide::Expr& row,
                          const Halide::Expr& image) {
  using Halide::Expr;
  if (!window.tested) return input(in_storage_order(w.layout, channel, column, row, image));
  const Halide::Range everywhere{Expr(), Expr()};
  const Halide::Func inside = Halide::BoundaryConditions::constant_exterior(
      input, Halide::cast<int8_t>(Expr(w.input_zero_point)),
      in_storage_order(w.layout, everywhere, Halide::Range(0, w.in_w), Halide::Range(0, w.in_h),
                       everywhere));
  return inside(
      in_storage_order(w.layout, channel, Expr(column - w.pad_left), Expr(row - w.pad_top), image));
}

namespace {

// Appends the copying stage (buffers "input", "scratch"), if there is one.
void append_padding(Halide::Module& module, const Workload& w, const InputWindow& window,
                    const std::string& symbol) {
  using namespace Halide;
  if (!window.copied) return;
  // Lines of bytes: with NHWC, a row of pixels with all their channels.
  const bool nhwc = w.layout == Layout::kNhwc;
  const int pixel = nhwc ? w.in_c : 1, planes = nhwc ? w.batch : w.batch * w.in_c;
  const int line = w.in_w * pixel, padded_line = window.width * pixel, left = w.pad_left * pixel;
  const bool words = line % 4 == 0 && padded_line % 4 == 0 && left % 4 == 0;
  const int unit = words ? 4 : 1, columns = line / unit, padded_columns = padded_line / unit;
  const Type type = words ? Int(32) : Int(8);
  const auto byte = static_cast<uint32_t>(static_cast<uint8_t>(w.input_zero_point));
  const Expr border =
      words ? cast<int32_t>(Expr(byte * 0x01010101u)) : cast<int8_t>(Expr(w.input_zero_point));

  ImageParam input(type, 3, "input");
  input.dim(0).set_bounds(0, columns).set_stride(1);
  input.dim(1).set_bounds(0, w.in_h).set_stride(columns);
  input.dim(2).set_bounds(0, planes).set_stride(columns * w.in_h);
  Var i("i"), y("y"), p("p");
  const Func inside = BoundaryConditions::constant_exterior(
      input, border, {{0, columns}, {0, w.in_h}, {0, planes}});
  Func scratch("scratch");
  scratch(i, y, p) = inside(i - left / unit, y - w.pad_top, p);
  auto out = scratch.output_buffer();
  out.dim(0).set_bounds(0, padded_columns).set_stride(1);
  out.dim(1).set_bounds(0, window.height).set_stride(padded_columns);
  out.dim(2).set_bounds(0, planes).set_stride(padded_columns * window.height);
  append_stage(module, scratch, {input}, symbol);
}

}  // namespace

Halide::Target halide_target(const Device& device) {
  const std::string flags = "-no_runtime-no_asserts-no_bounds_query";
  return Halide::Target(device.target.family == CoreFamily::kArmM ? "arm-32-noos-no_neon" + flags
                                                                  : "riscv-32-noos" + flags);
}

void append_stage(Halide::Module& module, const Halide::Func& function,
                  const std::vector<Halide::ImageParam>& inputs, const std::string& symbol) {
  const std::vector<Halide::Argument> arguments(inputs.begin(), inputs.end());
  const Halide::Module stage = Halide::Pipeline(function).compile_to_module(
      arguments, symbol, module.target(), Halide::LinkageType::External);
  for (const auto& lowered : stage.functions()) module.append(lowered);
}

Lowered padded_kernel(const Workload& w, const InputWindow& window, const Halide::Func& output,
                      const std::vector<Halide::ImageParam>& inputs, const Device& device,
                      const std::string& symbol) {
  auto module = std::make_shared<Halide::Module>(symbol, halide_target(device));
  append_padding(*module, w, window, symbol + "_pad");
  append_stage(*module, output, inputs, symbol + "_main");
  return {module, ""};
}

}  // namespace tinytune
