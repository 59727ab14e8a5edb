#include "schedules/workload.h"

#include <fmt/format.h>

#include <cstdio>

namespace tinytune {

std::string_view name_of(OpKind op) {
  switch (op) {
    case OpKind::kConv2d:
      return "conv2d";
    case OpKind::kDepthwiseConv2d:
      return "depthwise_conv2d";
    case OpKind::kDense:
      return "dense";
  }
  return "?";
}

std::string_view name_of(Layout layout) { return layout == Layout::kNhwc ? "nhwc" : "nchw"; }

std::string_view name_of(Requantise requantise) {
  switch (requantise) {
    case Requantise::kLong:
      return "long";
    case Requantise::kShifted:
      return "shifted";
    case Requantise::kShort:
      return "short";
    case Requantise::kFused:
      return "fused";
    case Requantise::kStepped:
      return "stepped";
  }
  return "?";
}

int64_t Workload::reduction() const {
  const int64_t taps = int64_t{kernel_h} * kernel_w;
  return op == OpKind::kDepthwiseConv2d ? taps : taps * (in_c / groups);
}

int64_t Workload::weight_bytes() const { return reduction() * out_c; }

int64_t Workload::macs() const { return output_bytes() * reduction(); }

namespace {

constexpr std::string_view kEvenWord = " even", kAddendWord = " addend";

std::string_view word_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTwice:
      break;
    case Rounding::kHalfToEven:
      return kEvenWord;
    case Rounding::kMultiplyAdd:
      return kAddendWord;
  }
  return "";
}

}  // namespace

std::string to_text(const Workload& w) {
  return fmt::format(
      "{}_s8 {} n{} in{}x{}x{} out{}x{}x{} k{}x{} s{}x{} d{}x{} p{},{} g{} m{} zp{},{} act{},{} "
      "lane{} {}{}",
      name_of(w.op), name_of(w.layout), w.batch, w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, w.out_c,
      w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, w.pad_top,
      w.pad_left, w.groups, w.depth_multiplier, w.input_zero_point, w.output_zero_point,
      w.activation_min, w.activation_max, w.facts.lane_group, name_of(w.facts.requantise),
      word_of(w.rounding));
}

std::string shape_text(const Workload& workload) {
  const Workload plain;
  Workload shape = workload;
  shape.input_zero_point = plain.input_zero_point;
  shape.output_zero_point = plain.output_zero_point;
  shape.activation_min = plain.activation_min;
  shape.activation_max = plain.activation_max;
  shape.facts = plain.facts;
  return to_text(shape);
}

Result<Workload> parse_workload(std::string_view text) {
  Workload w;
  const std::string line(text);
  char op[32], layout[8], requantise[8];
  const int fields = std::sscanf(
      line.c_str(),
      "%31s %7s n%d in%dx%dx%d out%dx%dx%d k%dx%d s%dx%d d%dx%d p%d,%d g%d m%d zp%d,%d act%d,%d "
      "lane%d %7s",
      op, layout, &w.batch, &w.in_h, &w.in_w, &w.in_c, &w.out_h, &w.out_w, &w.out_c, &w.kernel_h,
      &w.kernel_w, &w.stride_h, &w.stride_w, &w.dilation_h, &w.dilation_w, &w.pad_top, &w.pad_left,
      &w.groups, &w.depth_multiplier, &w.input_zero_point, &w.output_zero_point, &w.activation_min,
      &w.activation_max, &w.facts.lane_group, requantise);
  const Error bad(ErrorCode::kInvalidInput, "not a workload: '" + line + "'");
  if (fields != 25) return bad;
  for (OpKind kind : {OpKind::kConv2d, OpKind::kDepthwiseConv2d, OpKind::kDense})
    if (std::string(name_of(kind)) + "_s8" == op) w.op = kind;
  w.layout = std::string_view(layout) == "nchw" ? Layout::kNchw : Layout::kNhwc;
  for (Requantise kind : {Requantise::kLong, Requantise::kShifted, Requantise::kShort,
                          Requantise::kFused, Requantise::kStepped})
    if (name_of(kind) == requantise) w.facts.requantise = kind;
  for (Rounding rounding : {Rounding::kHalfToEven, Rounding::kMultiplyAdd})
    if (text.ends_with(word_of(rounding))) w.rounding = rounding;
  TT_TRY(validate(w));
  // The text form is canonical, so this refuses all deviations that sscanf tolerates.
  if (to_text(w) != line) return bad;
  return w;
}

Status validate(const Workload& w) {
  const auto refuse = [](const std::string& why) {
    return Error(ErrorCode::kInvalidInput, "workload: " + why);
  };
  const std::pair<const char*, int> positive[] = {{"batch", w.batch},
                                                  {"input height", w.in_h},
                                                  {"input width", w.in_w},
                                                  {"input channels", w.in_c},
                                                  {"output height", w.out_h},
                                                  {"output width", w.out_w},
                                                  {"output channels", w.out_c},
                                                  {"kernel height", w.kernel_h},
                                                  {"kernel width", w.kernel_w},
                                                  {"stride", w.stride_h},
                                                  {"stride", w.stride_w},
                                                  {"dilation", w.dilation_h},
                                                  {"dilation", w.dilation_w},
                                                  {"groups", w.groups},
                                                  {"depth multiplier", w.depth_multiplier},
                                                  {"lane group", w.facts.lane_group}};
  for (const auto& [name, value] : positive)
    if (value < 1) return refuse(fmt::format("{} is {}", name, value));
  if (w.pad_top < 0 || w.pad_left < 0) return refuse("negative padding");
  if (w.in_c % w.groups != 0 || w.out_c % w.groups != 0)
    return refuse("channels are not a multiple of the groups");
  if (w.op == OpKind::kDepthwiseConv2d && int64_t{w.in_c} * w.depth_multiplier != w.out_c)
    return refuse("depthwise output channels are not input channels times the multiplier");
  if (w.activation_min > w.activation_max) return refuse("empty clamp range");
  const auto fits = [](std::initializer_list<int> sizes) {
    int64_t product = 1;
    for (int s : sizes)
      if ((product *= s) > INT32_MAX) return false;
    return true;
  };
  if (!fits({w.batch, w.in_h, w.in_w, w.in_c}) || !fits({w.batch, w.out_h, w.out_w, w.out_c}) ||
      !fits({w.kernel_h, w.kernel_w, w.in_c, w.out_c}))
    return refuse("a tensor of more than 2^31 - 1 elements");
  return ok_status();
}

}  // namespace tinytune
