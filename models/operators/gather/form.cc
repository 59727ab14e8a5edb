// GATHER, GATHER_ND, EMBEDDING_LOOKUP: slices from constant or computed places.
#include "models/operators/gather/form.h"

#include <fmt/format.h>

#include "models/operators/move_builder.h"

namespace tinytune {
namespace {

using Shape = std::vector<int>;

int64_t product(const Shape& shape, size_t first, size_t last) {
  int64_t count = 1;
  for (size_t i = first; i < last; ++i) count *= shape[i];
  return count;
}

// Reads constant data or places, and checks for the types that TFLite Micro takes.
Status read_operands(const OperatorView& view, size_t data, size_t places, GatherOp& op) {
  const Tensor &from = view.input(data), &at = view.input(places), &output = view.output();
  const bool is_plain = view.arithmetic() == Arithmetic::kOnnx && from.type == ElementType::kInt32;
  if (from.type != ElementType::kInt8 && from.type != ElementType::kFloat32 && !is_plain)
    return view.unsupported(fmt::format("{} is {}", describe(from), name_of(from.type)));
  if (from.type != output.type)
    return view.unsupported(fmt::format("{} is {} and {} is {}", describe(from), name_of(from.type),
                                        describe(output), name_of(output.type)));
  if (at.type != ElementType::kInt32)
    return view.unsupported(fmt::format("{} is {}, not int32", describe(at), name_of(at.type)));
  op.data = from.data;
  if (!at.is_constant) return ok_status();
  TT_TRY_ASSIGN(op.constant_at, int32_constant(view, at));
  for (size_t i = 0; i < op.constant_at.size(); ++i) {
    const int32_t extent = op.coordinates[i % op.coordinates.size()].extent;
    if (op.constant_at[i] < 0 || op.constant_at[i] >= extent)
      return view.invalid(fmt::format("index {} of {}", op.constant_at[i], extent));
  }
  return ok_status();
}

int64_t element_bytes(const Tensor& tensor) { return static_cast<int64_t>(size_of(tensor.type)); }

}  // namespace

Result<IntegerOp> prepare_gather(const OperatorView& view) {
  const auto& a = std::get<GatherAttributes>(view.op().attributes);
  const Shape &from = view.input(0).shape, &at = view.input(1).shape;
  TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, a.axis, from.size()));
  const int64_t shared =
      a.batch_dims < 0 ? a.batch_dims + static_cast<int64_t>(at.size()) : a.batch_dims;
  if (shared < 0 || shared > static_cast<int64_t>(axis) || shared > static_cast<int64_t>(at.size()))
    return view.invalid(fmt::format("{} batch axes before axis {}", a.batch_dims, axis));
  const auto batch = static_cast<size_t>(shared);
  for (size_t i = 0; i < batch; ++i)
    if (from[i] != at[i])
      return view.invalid(fmt::format("{} and {} differ in a batch axis", describe(view.input(0)),
                                      describe(view.input(1))));
  Shape shape(from.begin(), from.begin() + static_cast<ptrdiff_t>(axis));
  shape.insert(shape.end(), at.begin() + static_cast<ptrdiff_t>(batch), at.end());
  shape.insert(shape.end(), from.begin() + static_cast<ptrdiff_t>(axis) + 1, from.end());
  TT_TRY(view.require_shape(view.output(), shape));
  GatherOp op;
  op.batches = product(from, 0, batch);
  op.blocks = product(from, batch, axis);
  op.places = product(at, batch, at.size());
  op.slice_bytes = product(from, axis + 1, from.size()) * element_bytes(view.input(0));
  op.block_bytes = from[axis] * op.slice_bytes;
  op.coordinates = {{from[axis], op.slice_bytes}};
  TT_TRY(read_operands(view, 0, 1, op));
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_gather_nd(const OperatorView& view) {
  const Shape &from = view.input(0).shape, &at = view.input(1).shape;
  if (from.empty() || at.empty() || at.back() < 1 || at.back() > static_cast<int>(from.size()) ||
      at.back() > 5)
    return view.invalid(fmt::format("{} holds no coordinates of {}", describe(view.input(1)),
                                    describe(view.input(0))));
  const auto depth = static_cast<size_t>(at.back());
  Shape shape(at.begin(), at.end() - 1);
  shape.insert(shape.end(), from.begin() + static_cast<ptrdiff_t>(depth), from.end());
  TT_TRY(view.require_shape(view.output(), shape));
  GatherOp op;
  op.places = product(at, 0, at.size() - 1);
  op.slice_bytes = product(from, depth, from.size()) * element_bytes(view.input(0));
  op.block_bytes = product(from, 0, from.size()) * element_bytes(view.input(0));
  const auto steps = steps_of(from);
  for (size_t i = 0; i < depth; ++i)
    op.coordinates.push_back({from[i], steps[i] * element_bytes(view.input(0))});
  TT_TRY(read_operands(view, 0, 1, op));
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_embedding_lookup(const OperatorView& view) {
  const Shape &from = view.input(1).shape, &at = view.input(0).shape;
  if (from.size() < 2 || at.size() != 1)
    return view.invalid(
        fmt::format("rows {} of {}", describe(view.input(0)), describe(view.input(1))));
  Shape shape = from;
  shape[0] = at[0];
  TT_TRY(view.require_shape(view.output(), shape));
  GatherOp op;
  op.places_first = true;
  op.places = at[0];
  op.slice_bytes = product(from, 1, from.size()) * element_bytes(view.input(1));
  op.block_bytes = from[0] * op.slice_bytes;
  op.coordinates = {{from[0], op.slice_bytes}};
  TT_TRY(read_operands(view, 1, 0, op));
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
