// Operands and results as several families of operators choose them.
#pragma once

#include "tests/random_graphs/graph_maker.h"

namespace tinytune::bench {

/// int8, or now and then what has another type.
int any_source(GraphMaker& m, const GraphMaker::Fits& fits,
               const std::function<Shape()>& otherwise);
int any_source(GraphMaker& m);

/// A result of the type and quantisation of x.
int like(GraphMaker& m, int x, Shape shape);

/// `axis`, sometimes counted from the end.
int axis_number(GraphMaker& m, size_t axis, size_t rank);
size_t random_axis(GraphMaker& m, const Shape& shape);
Shape with(Shape shape, size_t axis, int extent);

/// Shorter, or with axes of extent 1: what repeats along `shape`.
Shape repeated(GraphMaker& m, const Shape& shape);
/// The shape that two operands make which repeat along each other.
Shape joined(const Shape& a, const Shape& b);

/// Two int8 operands of moderate scales that line up, in either order. `equal_scales`: the second
/// is quantised as the first. `fits` is asked of both.
std::vector<int> operands(GraphMaker& m, bool equal_scales, const GraphMaker::Fits& fits);
inline std::vector<int> operands(GraphMaker& m, bool equal_scales) {
  return operands(m, equal_scales, [](const Tensor&) { return true; });
}
/// Of a type without scales: computed before, or an input of the network.
int typed(GraphMaker& m, ElementType type, const GraphMaker::Fits& fits,
          const std::function<Shape()>& otherwise);
int typed(GraphMaker& m, ElementType type);
/// Two of such a type, one of which may repeat or be a constant.
std::vector<int> plain_operands(GraphMaker& m, ElementType type);
Shape result_shape(const GraphMaker& m, const std::vector<int>& inputs);

/// Axes to reduce, as a constant, and the shape that is left. One axis is, at least.
struct Reduced {
  int axes = -1;
  Shape shape;
  bool keep_dims = false;
};
Reduced reduced(GraphMaker& m, const Shape& in);

/// A layer's bias, as int32.
int narrow_bias(GraphMaker& m, const std::vector<int32_t>& bias, Quantization quantization);
/// An int8 layer's bias in int16's units, as int64; some beyond 32 bits.
int wide_bias(GraphMaker& m, const std::vector<int32_t>& bias, Quantization quantization = {});

/// Of a tensor with one.
double scale_of(const GraphMaker& m, int id);

inline bool is_rank_4(const Tensor& t) { return t.shape.size() == 4; }

/// An operator whose result has the shape of x.
void grow_map(GraphMaker& m, OperatorKind kind, int x, const Quantization& q,
              Attributes attributes = {});

/// Places to gather from `extents`: known and inside them, or computed on the device, and then
/// anything.
int places(GraphMaker& m, Shape shape, const std::vector<int>& extents);

}  // namespace tinytune::bench
