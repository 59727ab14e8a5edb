// Pools, reductions, resizing, SOFTMAX and other normalisation: one input, no weights.
#include <algorithm>
#include <cmath>

#include "models/quantise.h"
#include "tests/random_graphs/grow.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

bool is_rank_4(const Tensor& t) { return t.shape.size() == 4; }

void grow_pool(GraphMaker& m, OperatorKind kind) {
  const int x = m.source(is_rank_4, [&] { return m.shape(4); });
  const Shape in = m.tensor(x).shape;
  PoolAttributes a;
  a.padding = m.one_of({Padding::kSame, Padding::kValid});
  a.activation = m.activation_function();
  a.filter_h = m.between(1, 6), a.filter_w = m.between(1, 6);
  if (m.chance(25)) a.filter_h = in[1], a.filter_w = in[2];  // global
  if (m.chance(15)) a.filter_h = in[1] + m.between(1, 3);
  a.stride_h = m.between(1, 4), a.stride_w = m.chance(70) ? a.stride_h : m.between(1, 4);
  if (a.padding == Padding::kValid) {
    a.filter_h = std::min(a.filter_h, in[1]);
    a.filter_w = std::min(a.filter_w, in[2]);
  }
  const int rows = window_of(a.padding, in[1], a.filter_h, a.stride_h, 1).extent;
  const int columns = window_of(a.padding, in[2], a.filter_w, a.stride_w, 1).extent;
  const int y = m.result({in[0], rows, columns, in[3]}, m.tensor(x).quantization);
  m.op(kind, {x}, {y}, a);
}

}  // namespace

template <>
void grow<OperatorKind::kAveragePool2d>(GraphMaker& m) {
  grow_pool(m, OperatorKind::kAveragePool2d);
}

template <>
void grow<OperatorKind::kMaxPool2d>(GraphMaker& m) {
  grow_pool(m, OperatorKind::kMaxPool2d);
}

template <>
void grow<OperatorKind::kMean>(GraphMaker& m) {
  const int x = m.source();
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = m.result(r.shape, m.scaled_to(scale_of(m, x) / 3));
  m.op(OperatorKind::kMean, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

template <>
void grow<OperatorKind::kSoftmax>(GraphMaker& m) {
  // TFLite needs beta * scale * 2^26 above 1, and adds up to 4095 exponentials without overflow.
  // Of int16 its differences are shifted left by 15 bits at most.
  const auto fits = [&](const Tensor& t) {
    const float scale = t.quantization.scales[0];
    return m.is_wide() ? scale < 0.4F : scale > 0x1p-22F && t.shape.back() < 4096;
  };
  const int x = m.source(fits, [&] { return m.shape(); });
  const bool widens = !m.is_wide() && m.chance(15);  // from int8 to int16
  Quantization q = {{1.0F / 256}, {-128}, 0};
  if (m.is_wide()) q = {{1.0F / 32768}, {0}, 0};
  if (widens) q = {{1.0F / 65536}, {-32768}, 0};
  const Shape shape = m.tensor(x).shape;
  const int y = widens ? m.result(ElementType::kInt16, shape, q) : m.result(shape, q);
  const float beta = m.one_of({1.0F, 1.0F, 0.5F, 2.0F, 0.1F, 10.0F});
  m.op(OperatorKind::kSoftmax, {x}, {y}, SoftmaxAttributes{beta});
  if (!widens || m.chance(50)) return;
  m.op(OperatorKind::kDequantize, {y}, {m.result(ElementType::kFloat32, shape, {})});
}

namespace {

void grow_resize(GraphMaker& m, OperatorKind kind) {
  const auto fits = [&](const Tensor& t) {
    return is_rank_4(t) && t.shape[0] * t.shape[3] <= m.most_elements() / 4;
  };
  const int x = m.source(fits, [&] { return m.shape(4); });
  const Shape in = m.tensor(x).shape;
  ResizeAttributes a;
  switch (m.between(0, 2)) {
    case 0:
      a.align_corners = true;
      break;
    case 1:
      a.half_pixel_centers = true;
      break;
    default:
      break;
  }
  int rows = m.one_of({1, in[1], 2 * in[1], m.between(1, 15)});
  int columns = m.one_of({1, in[2], 2 * in[2], m.between(1, 15)});
  const int64_t pixels = m.most_elements() / (in[0] * in[3]);
  rows = static_cast<int>(std::min<int64_t>(rows, pixels));
  columns = static_cast<int>(std::min<int64_t>(columns, pixels / rows));
  const int y = m.result({in[0], rows, columns, in[3]}, m.tensor(x).quantization);
  m.op(kind, {x, m.integers({rows, columns})}, {y}, a);
}

}  // namespace

template <>
void grow<OperatorKind::kResizeNearestNeighbor>(GraphMaker& m) {
  grow_resize(m, OperatorKind::kResizeNearestNeighbor);
}

template <>
void grow<OperatorKind::kResizeBilinear>(GraphMaker& m) {
  grow_resize(m, OperatorKind::kResizeBilinear);
}

namespace {

void grow_reduction(GraphMaker& m, OperatorKind kind) {
  const int x = m.source();
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = like(m, x, r.shape);
  m.op(kind, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

void grow_arg_extremum(GraphMaker& m, OperatorKind kind) {
  const int x = m.source([](const Tensor& t) { return t.shape.size() > 1; },
                         [&] { return m.shape(m.between(2, kHighestRank)); });
  Shape out = m.tensor(x).shape;
  const size_t rank = out.size(), axis = random_axis(m, out);
  out.erase(out.begin() + static_cast<ptrdiff_t>(axis));
  const int along = m.integer(axis_number(m, axis, rank));
  const int y = m.result(ElementType::kInt32, out, {});
  m.op(kind, {x, along}, {y});
}

}  // namespace

template <>
void grow<OperatorKind::kSum>(GraphMaker& m) {
  const int x = m.source();
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = m.result(r.shape, m.scaled_to(scale_of(m, x) * 3));
  m.op(OperatorKind::kSum, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

template <>
void grow<OperatorKind::kReduceMax>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kReduceMax);
}

template <>
void grow<OperatorKind::kReduceMin>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kReduceMin);
}

template <>
void grow<OperatorKind::kArgMax>(GraphMaker& m) {
  grow_arg_extremum(m, OperatorKind::kArgMax);
}

template <>
void grow<OperatorKind::kArgMin>(GraphMaker& m) {
  grow_arg_extremum(m, OperatorKind::kArgMin);
}

template <>
void grow<OperatorKind::kL2Normalization>(GraphMaker& m) {
  const int x = m.source();
  const int y = m.result(m.tensor(x).shape, {{1.0F / 128}, {0}, 0});
  m.op(OperatorKind::kL2Normalization, {x}, {y});
}

template <>
void grow<OperatorKind::kLogSoftmax>(GraphMaker& m) {
  // TFLite needs scale * 2^26 above 1 and adds up to 4095 exponentials without overflow.
  const auto fits = [](const Tensor& t) {
    return t.quantization.scales[0] > 0x1p-22F && t.shape.back() < 4096;
  };
  const int x = m.source(fits, [&] { return m.shape(); });
  const int y = m.result(m.tensor(x).shape, {{1.0F / 16}, {127}, 0});
  m.op(OperatorKind::kLogSoftmax, {x}, {y});
}

template <>
void grow<OperatorKind::kCumsum>(GraphMaker& m) {
  const int x = m.source();
  const Shape shape = m.tensor(x).shape;
  const int axis = m.integer(axis_number(m, random_axis(m, shape), shape.size()));
  Quantization q = m.quantization();
  q.scales[0] = static_cast<float>(scale_of(m, x) * std::exp2(m.uniform(-3, 6)));
  const int y = m.result(shape, q);
  m.op(OperatorKind::kCumsum, {x, axis}, {y}, CumsumAttributes{m.chance(40), m.chance(40)});
}

}  // namespace tinytune::bench
