// Pools, MEAN, SOFTMAX, RESIZE_NEAREST_NEIGHBOR: one input, no weights.
#include <algorithm>

#include "bench/random_graphs/grow.h"
#include "models/quantise.h"

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
  const Shape in = m.tensor(x).shape;
  const int rank = static_cast<int>(in.size());
  std::vector<bool> reduced(in.size(), false);
  std::vector<int32_t> axes;
  const bool keep = rank == 1 || m.chance(50);
  for (int axis = 0; axis < rank; ++axis) {
    // Without keep_dims one axis is left, or the result were a scalar.
    const bool last_chance = static_cast<int>(axes.size()) == rank - 1 && !keep;
    if (last_chance || !m.chance(50)) continue;
    reduced[static_cast<size_t>(axis)] = true;
    axes.push_back(m.chance(30) ? axis - rank : axis);
  }
  if (axes.empty()) axes.push_back(0), reduced[0] = true;
  if (axes.size() > 1 && m.chance(30)) std::reverse(axes.begin(), axes.end());
  Shape out;
  for (size_t axis = 0; axis < in.size(); ++axis)
    if (!reduced[axis] || keep) out.push_back(reduced[axis] ? 1 : in[axis]);
  const int y = m.result(out, m.scaled_to(double{m.tensor(x).quantization.scales[0]} / 3));
  m.op(OperatorKind::kMean, {x, m.integers(axes)}, {y}, MeanAttributes{keep});
}

template <>
void grow<OperatorKind::kSoftmax>(GraphMaker& m) {
  // TFLite needs beta * scale * 2^26 above 1, and adds up to 4095 exponentials without overflow.
  const auto fits = [](const Tensor& t) {
    return t.quantization.scales[0] > 0x1p-22F && t.shape.back() < 4096;
  };
  const int x = m.source(fits, [&] { return m.shape(); });
  const int y = m.result(m.tensor(x).shape, {{1.0F / 256}, {-128}, 0});
  const float beta = m.one_of({1.0F, 1.0F, 0.5F, 2.0F, 0.1F, 10.0F});
  m.op(OperatorKind::kSoftmax, {x}, {y}, SoftmaxAttributes{beta});
}

template <>
void grow<OperatorKind::kResizeNearestNeighbor>(GraphMaker& m) {
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
  m.op(OperatorKind::kResizeNearestNeighbor, {x, m.integers({rows, columns})}, {y}, a);
}

}  // namespace tinytune::bench
