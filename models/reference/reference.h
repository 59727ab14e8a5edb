// The reference operators: one overload per integer form, plain loops, no cleverness.
//
// They are the oracle for every kernel, so they follow TFLite Micro's reference kernels step by
// step. Sizes were checked by the caller (run_reference).
#pragma once

#include <cstdint>
#include <span>

#include "models/integer_op.h"

namespace tinytune::reference {

/// The non-constant inputs and the outputs of one operator, in its order.
struct Buffers {
  std::span<const std::span<const uint8_t>> inputs;
  std::span<const std::span<uint8_t>> outputs;

  const int8_t* input(size_t i = 0) const {
    return reinterpret_cast<const int8_t*>(inputs[i].data());
  }
  const int16_t* wide_input(size_t i = 0) const {
    return reinterpret_cast<const int16_t*>(inputs[i].data());
  }
  int16_t* wide_output() const { return reinterpret_cast<int16_t*>(outputs[0].data()); }
  /// An input that is state: its owner keeps it in memory that may be written.
  uint8_t* state(size_t i) const { return const_cast<uint8_t*>(inputs[i].data()); }
  int8_t* output(size_t i = 0) const { return reinterpret_cast<int8_t*>(outputs[i].data()); }
};

void run(const KernelOp& op, const Buffers& buffers);
void run(const PoolOp& op, const Buffers& buffers);
void run(const SoftmaxOp& op, const Buffers& buffers);
void run(const CopyOp& op, const Buffers& buffers);
void run(const AddOp& op, const Buffers& buffers);
void run(const MulOp& op, const Buffers& buffers);
void run(const ExtremumOp& op, const Buffers& buffers);
void run(const LookupOp& op, const Buffers& buffers);
void run(const QuantizeOp& op, const Buffers& buffers);
void run(const DequantizeOp& op, const Buffers& buffers);
void run(const MoveOp& op, const Buffers& buffers);
void run(const ResizeOp& op, const Buffers& buffers);
void run(const MeanOp& op, const Buffers& buffers);
void run(const TransposeConvOp& op, const Buffers& buffers);
void run(const SquaredDifferenceOp& op, const Buffers& buffers);
void run(const PreluOp& op, const Buffers& buffers);
void run(const DivOp& op, const Buffers& buffers);
void run(const AddNOp& op, const Buffers& buffers);
void run(const CompareOp& op, const Buffers& buffers);
void run(const SelectOp& op, const Buffers& buffers);
void run(const CastOp& op, const Buffers& buffers);
void run(const GatherOp& op, const Buffers& buffers);
void run(const ReduceOp& op, const Buffers& buffers);
void run(const ArgExtremumOp& op, const Buffers& buffers);
void run(const BilinearOp& op, const Buffers& buffers);
void run(const MatMulOp& op, const Buffers& buffers);
void run(const L2NormalizationOp& op, const Buffers& buffers);
void run(const LogSoftmaxOp& op, const Buffers& buffers);
void run(const CumsumOp& op, const Buffers& buffers);
void run(const UpdateSliceOp& op, const Buffers& buffers);
void run(const SvdfOp& op, const Buffers& buffers);
void run(const LstmOp& op, const Buffers& buffers);
void run(const SteppedAddOp& op, const Buffers& buffers);
void run(const SteppedSoftmaxOp& op, const Buffers& buffers);
void run(const FloatPoolOp& op, const Buffers& buffers);
void run(const WideKernelOp& op, const Buffers& buffers);
void run(const WideAddOp& op, const Buffers& buffers);
void run(const WideMulOp& op, const Buffers& buffers);
void run(const RawArithmeticOp& op, const Buffers& buffers);
void run(const WidePoolOp& op, const Buffers& buffers);
void run(const WideSoftmaxOp& op, const Buffers& buffers);
void run(const WideGateOp& op, const Buffers& buffers);
void run(const RescaleOp& op, const Buffers& buffers);
void run(const WideTransposeConvOp& op, const Buffers& buffers);
void run(const ComputedDenseOp& op, const Buffers& buffers);
void run(const RequantShiftOp& op, const Buffers& buffers);
void run(const PlainTableOp& op, const Buffers& buffers);
void run(const SumTableOp& op, const Buffers& buffers);
void run(const PlainArithmeticOp& op, const Buffers& buffers);
void run(const PlainDivideOp& op, const Buffers& buffers);
void run(const PlainMatMulOp& op, const Buffers& buffers);
void run(const PlainSoftmaxOp& op, const Buffers& buffers);
void run(const PlainNormOp& op, const Buffers& buffers);
void run(const PlainReduceOp& op, const Buffers& buffers);
/// Only a network knows the function; alone, the operator is its stub of zeros.
void run(const ExternalOp& op, const Buffers& buffers);

}  // namespace tinytune::reference
