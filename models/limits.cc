#include "models/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {
namespace {

int64_t elements(const Broadcast& b) {
  int64_t product = 1;
  for (const int extent : b.extents) product *= extent;
  return product;
}

int64_t steps(const KernelOp& op) { return op.workload.macs(); }
int64_t steps(const TransposeConvOp& op) { return op.macs(); }
int64_t steps(const PoolOp& op) {
  const int64_t taps = int64_t{std::min(op.filter_h, op.in_h)} * std::min(op.filter_w, op.in_w);
  return taps * op.batch * op.out_h * op.out_w * op.channels;
}
int64_t steps(const SoftmaxOp& op) { return int64_t{op.rows} * op.depth; }
int64_t steps(const CopyOp& op) { return op.bytes; }
int64_t steps(const AddOp& op) { return elements(op.broadcast); }
int64_t steps(const MulOp& op) { return elements(op.broadcast); }
int64_t steps(const ExtremumOp& op) { return elements(op.broadcast); }
int64_t steps(const LookupOp& op) { return op.elements; }
int64_t steps(const QuantizeOp& op) { return op.elements; }
int64_t steps(const DequantizeOp& op) { return op.elements; }
int64_t steps(const MoveOp& op) {
  int64_t sum = 0;
  for (const int64_t count : op.output_elements) sum += count;
  return sum;
}
int64_t steps(const ResizeOp& op) {
  return int64_t{op.batch} * static_cast<int64_t>(op.rows.size() * op.columns.size()) * op.channels;
}
int64_t steps(const MeanOp& op) {
  int64_t product = 1;
  for (const int extent : op.extents) product *= extent;
  return product;
}

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
