// Choice of operands and results, shared by several families of operators.
#pragma once

#include "tests/random_graphs/graph_maker.h"

namespace tinytune::bench {

/// Returns an activation, or now and then an existing tensor of a type other than int8.
int any_source(GraphMaker& m, const GraphMaker::Fits& fits,
               const std::function<Shape()>& otherwise);
int any_source(GraphMaker& m);

/// Adds a result with the type and quantisation of x.
int like(GraphMaker& m, int x, Shape shape);

/// Returns `axis`, sometimes counted from the end (negative).
int axis_number(GraphMaker& m, size_t axis, size_t rank);
size_t random_axis(GraphMaker& m, const Shape& shape);
Shape with(Shape shape, size_t axis, int extent);

/// Returns a shape that broadcasts to `shape`: fewer axes, or some of extent 1.
Shape repeated(GraphMaker& m, const Shape& shape);
/// Returns the broadcast shape of two operands.
Shape joined(const Shape& a, const Shape& b);

/// Returns two activations of moderate scales that broadcast, in either order. `equal_scales`: both
/// have the same quantisation. `fits` must hold for both.
std::vector<int> operands(GraphMaker& m, bool equal_scales, const GraphMaker::Fits& fits);
inline std::vector<int> operands(GraphMaker& m, bool equal_scales) {
  return operands(m, equal_scales, [](const Tensor&) { return true; });
}
/// Returns a tensor of a type without scales: an existing one, or a new input of the network.
int typed(GraphMaker& m, ElementType type, const GraphMaker::Fits& fits,
          const std::function<Shape()>& otherwise);
int typed(GraphMaker& m, ElementType type);
/// Returns two operands of a type without scales, one of which may broadcast or be a constant.
std::vector<int> plain_operands(GraphMaker& m, ElementType type);
Shape result_shape(const GraphMaker& m, const std::vector<int>& inputs);

/// Axes to reduce, as a constant tensor, and the remaining shape, of at least one axis.
struct Reduced {
  int axes = -1;
  Shape shape;
  bool keep_dims = false;
};
Reduced reduced(GraphMaker& m, const Shape& in);

/// Adds a layer's bias as int32.
int narrow_bias(GraphMaker& m, const std::vector<int32_t>& bias, Quantization quantization);
/// Adds an int8 layer's bias, scaled to int16 activations, as int64; some values exceed 32 bits.
int wide_bias(GraphMaker& m, const std::vector<int32_t>& bias, Quantization quantization = {});

/// Returns the scale of a tensor that has only one.
double scale_of(const GraphMaker& m, int id);

inline bool is_rank_4(const Tensor& t) { return t.shape.size() == 4; }

/// Adds an operator on x whose result has the shape of x.
void grow_map(GraphMaker& m, OperatorKind kind, int x, const Quantization& q,
              Attributes attributes = {});

/// Returns indices to gather from `extents`: constants inside them, or a tensor computed on the
/// device, whose values may be out of range.
int places(GraphMaker& m, Shape shape, const std::vector<int>& extents);

}  // namespace tinytune::bench
