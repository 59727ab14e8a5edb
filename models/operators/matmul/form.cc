// BATCH_MATMUL. With a constant matrix without a zero point on the right it equals FULLY_CONNECTED
// on several rows, with the same multiplier, and becomes such a workload.
#include "models/operators/matmul/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/move_builder.h"
#include "models/operators/onnx_scale.h"
#include "models/operators/operands.h"
#include "models/operators/plain/operands.h"

namespace tinytune {
namespace {

// Products are below 2^16, so that the sum fits int32.
constexpr int kMostDepth = 1 << 15;

struct Operand {
  std::vector<int> batches;  // three of them, outermost first
  int across = 1, depth = 1;
  MatMulOp::Side side;
};

// `depth_last`: the depth is the innermost axis.
Result<Operand> read_operand(const OperatorView& view, size_t index, bool depth_last) {
  const Tensor& t = view.input(index);
  const size_t rank = t.shape.size();
  const bool is_plain = is_integer_operator(view.op().kind) && t.type == ElementType::kInt32;
  if (!is_plain) TT_TRY(view.require_int8(t));
  if (rank < 2) return view.invalid(describe(t) + " is no matrix");
  if (rank > 5) return view.unsupported(describe(t) + " has more than 5 axes");
  std::vector<int> shape(5, 1);
  std::copy(t.shape.rbegin(), t.shape.rend(), shape.rbegin());
  const auto steps = steps_of(shape);
  Operand operand;
  for (size_t axis = 0; axis < 3; ++axis) {
    operand.batches.push_back(shape[axis]);
    operand.side.batch_steps[axis] = shape[axis] == 1 ? 0 : steps[axis];
  }
  const size_t depth = depth_last ? 4 : 3, across = depth_last ? 3 : 4;
  operand.across = shape[across];
  operand.depth = shape[depth];
  operand.side.step = steps[across];
  operand.side.depth_step = steps[depth];
  if (!is_plain) operand.side.offset = -t.quantization.zero_points[0];
  operand.side.constant.assign(t.data.begin(), t.data.end());
  return operand;
}

Result<MatMulOp> read_product(const OperatorView& view) {
  const auto* a = std::get_if<BatchMatMulAttributes>(&view.op().attributes);
  TT_TRY_ASSIGN(Operand left, read_operand(view, 0, a == nullptr || !a->adj_x));
  TT_TRY_ASSIGN(Operand right, read_operand(view, 1, a != nullptr && a->adj_y));
  const auto mismatch = [&] {
    return view.invalid(fmt::format("{} and {} do not make {}", describe(view.input(0)),
                                    describe(view.input(1)), describe(view.output())));
  };
  if (left.depth != right.depth) return mismatch();
  if (left.depth > kMostDepth) return view.unsupported("a depth of more than 2^15");
  MatMulOp op;
  std::vector<int> shape;
  for (size_t i = 0; i < 3; ++i) {
    const int m = left.batches[i], n = right.batches[i];
    if (m != n && m != 1 && n != 1) return mismatch();
    op.batches[i] = std::max(m, n);
    shape.push_back(op.batches[i]);
  }
  op.rows = left.across;
  op.columns = right.across;
  op.depth = left.depth;
  shape.insert(shape.end(), {op.rows, op.columns});
  const size_t rank = std::max(view.input(0).shape.size(), view.input(1).shape.size());
  shape.erase(shape.begin(), shape.end() - static_cast<ptrdiff_t>(rank));
  if (view.output().shape != shape) return mismatch();
  op.left = std::move(left.side);
  op.right = std::move(right.side);
  return op;
}

Status read_scale(const OperatorView& view, MatMulOp& op) {
  TT_TRY(view.require_int8(view.output()));
  const float product =
      view.input(0).quantization.scales[0] * view.input(1).quantization.scales[0];  // in float32
  const double real = double{product} / double{view.output().quantization.scales[0]};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  op.multiplier = m.multiplier;
  op.shift = m.shift;
  op.output_offset = view.output().quantization.zero_points[0];
  return ok_status();
}

bool is_dense(const MatMulOp& op, const OperatorView& view) {
  const std::vector<int>& shape = view.input(1).shape;
  const bool one_matrix = std::all_of(shape.begin(), shape.end() - 2, [](int n) { return n == 1; });
  return view.input(1).is_constant && one_matrix && op.right.offset == 0 && op.left.depth_step == 1;
}

KernelOp dense_of(const MatMulOp& op, const OperatorView& view) {
  KernelOp kernel;
  Workload& w = kernel.workload;
  w.op = OpKind::kDense;
  w.batch = op.batches[0] * op.batches[1] * op.batches[2] * op.rows;
  w.in_c = op.depth;
  w.out_c = op.columns;
  w.input_zero_point = -op.left.offset;
  w.output_zero_point = op.output_offset;
  const auto columns = static_cast<size_t>(op.columns);
  kernel.data.multiplier.assign(columns, op.multiplier);
  kernel.data.shift.assign(columns, op.shift);
  kernel.data.bias.assign(columns, 0);
  const std::vector<uint8_t>& data = view.input(1).data;
  for (int64_t c = 0; c < op.columns; ++c)
    for (int64_t d = 0; d < op.depth; ++d)
      kernel.data.weights.push_back(static_cast<int8_t>(
          data[static_cast<size_t>(c * op.right.step + d * op.right.depth_step)]));
  return kernel;
}

}  // namespace

Result<IntegerOp> prepare_batch_matmul(const OperatorView& view) {
  TT_TRY_ASSIGN(MatMulOp op, read_product(view));
  TT_TRY(read_scale(view, op));
  if (is_dense(op, view)) {
    KernelOp kernel = dense_of(op, view);
    if (auto valid = validate(kernel.workload); !valid)
      return view.invalid(valid.error().message());
    return IntegerOp(std::move(kernel));
  }
  if (op.multiplier == 0) {  // every sum is scaled to 0; but multiplier 0 means unscaled sums
    op.multiplier = 1;
    op.shift = -31;
  }
  return IntegerOp(std::move(op));
}

namespace {

PlainMatMulOp::Side plain_side(const OperatorView& view, size_t index, const MatMulOp::Side& side) {
  const Tensor& t = view.input(index);
  return {{t.type, side.offset}, side.batch_steps, side.step, side.depth_step, t.data};
}

}  // namespace

// Inputs: left and right; for bytes, REQUANT_SHIFT's operands may follow.
Result<IntegerOp> prepare_integer_matmul(const OperatorView& view) {
  constexpr size_t kScaled = 5;
  TT_TRY_ASSIGN(MatMulOp op, read_product(view));
  if (view.input(0).type == ElementType::kInt32 || view.input(1).type == ElementType::kInt32)
    return IntegerOp(PlainMatMulOp{op.batches, op.rows, op.columns, op.depth,
                                   plain_side(view, 0, op.left), plain_side(view, 1, op.right)});
  if (view.inputs() < kScaled) return IntegerOp(std::move(op));
  TT_TRY_ASSIGN(const ByteScaling scaling, read_byte_scaling(view, 2));
  op.multiplier = scaling.multiplier;
  op.shift = scaling.shift;
  op.steps = scaling.steps;
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_matmul_sums(const OperatorView& view) {
  TT_TRY_ASSIGN(MatMulOp op, read_product(view));
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
