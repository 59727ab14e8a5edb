#include "models/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {
namespace {

int64_t product(const std::array<int, 5>& extents) {
  int64_t all = 1;
  for (const int extent : extents) all *= extent;
  return all;
}

int64_t steps(const KernelOp& op) { return op.workload.macs(); }
int64_t steps(const TransposeConvOp& op) { return op.macs(); }
int64_t steps(const WideTransposeConvOp& op) { return op.shape.macs(); }
int64_t steps(const ComputedDenseOp& op) { return op.macs(); }
int64_t steps(const PoolOp& op) {
  const int64_t taps = int64_t{std::min(op.filter_h, op.in_h)} * std::min(op.filter_w, op.in_w);
  return taps * op.batch * op.out_h * op.out_w * op.channels;
}
int64_t steps(const FloatPoolOp& op) { return steps(op.pool); }
int64_t steps(const WideKernelOp& op) { return op.shape.macs(); }
int64_t steps(const WidePoolOp& op) { return steps(op.pool); }
int64_t steps(const WideAddOp& op) { return product(op.broadcast.extents); }
int64_t steps(const WideMulOp& op) { return product(op.broadcast.extents); }
int64_t steps(const WideSoftmaxOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const WideGateOp& op) { return op.elements; }
int64_t steps(const RescaleOp& op) { return op.elements; }
int64_t steps(const RawArithmeticOp& op) { return product(op.broadcast.extents); }
int64_t steps(const SoftmaxOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const CopyOp& op) { return op.bytes; }
int64_t steps(const AddOp& op) { return product(op.broadcast.extents); }
int64_t steps(const SteppedAddOp& op) { return product(op.broadcast.extents); }
int64_t steps(const SteppedSoftmaxOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const MulOp& op) { return product(op.broadcast.extents); }
int64_t steps(const ExtremumOp& op) { return product(op.broadcast.extents); }
int64_t steps(const LookupOp& op) { return op.elements; }
int64_t steps(const QuantizeOp& op) { return op.elements; }
int64_t steps(const DequantizeOp& op) { return op.elements; }
int64_t steps(const MoveOp& op) {
  int64_t sum = 0;
  for (const int64_t count : op.output_elements) sum += count;
  return sum;
}
int64_t steps(const SquaredDifferenceOp& op) { return op.elements; }
int64_t steps(const PreluOp& op) { return op.elements; }
int64_t steps(const DivOp& op) { return op.elements; }
int64_t steps(const AddNOp& op) { return op.elements * static_cast<int64_t>(op.constants.size()); }
int64_t steps(const CompareOp& op) { return op.elements; }
int64_t steps(const SelectOp& op) { return op.elements; }
int64_t steps(const CastOp& op) { return op.elements; }
int64_t steps(const GatherOp& op) { return op.batches * op.blocks * op.places * op.slice_bytes; }
int64_t steps(const BilinearOp& op) {
  return int64_t{op.batch} * static_cast<int64_t>(op.rows.size() * op.columns.size()) * op.channels;
}
int64_t steps(const MatMulOp& op) { return op.macs(); }
int64_t steps(const L2NormalizationOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const LogSoftmaxOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const CumsumOp& op) { return op.outer * op.axis * op.inner; }
int64_t steps(const UpdateSliceOp& op) { return product(op.extents); }
int64_t steps(const SvdfOp& op) { return op.macs(); }
int64_t steps(const LstmOp& op) { return op.macs(); }
int64_t steps(const ExternalOp& op) {
  int64_t bytes = 0;
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const ExternalOp::Operand& operand : *operands) bytes += operand.bytes;
  return bytes;
}
int64_t steps(const ArgExtremumOp& op) { return op.outer * op.axis * op.inner; }
int64_t steps(const ResizeOp& op) {
  return int64_t{op.batch} * static_cast<int64_t>(op.rows.size() * op.columns.size()) * op.channels;
}
int64_t steps(const MeanOp& op) { return product(op.extents); }
int64_t steps(const ReduceOp& op) { return product(op.extents); }
int64_t steps(const RequantShiftOp& op) { return product(op.broadcast.extents); }
int64_t steps(const PlainTableOp& op) { return op.elements; }
int64_t steps(const SumTableOp& op) { return product(op.broadcast.extents); }
int64_t steps(const PlainArithmeticOp& op) { return product(op.broadcast.extents); }
int64_t steps(const PlainDivideOp& op) { return product(op.broadcast.extents); }
int64_t steps(const PlainMatMulOp& op) { return op.macs(); }
int64_t steps(const PlainSoftmaxOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const PlainNormOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const PlainReduceOp& op) { return product(op.extents); }

}  // namespace

int64_t operations_of(const IntegerOp& op) {
  return std::visit([](const auto& form) { return steps(form); }, op);
}

Status ModelSize::add(int64_t& sum, int64_t more, int64_t most, const char* what) {
  if (more > most - sum)
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("the model needs more than {} {}", most, what));
  sum += more;
  return ok_status();
}

}  // namespace tinytune
