// An operator with access to its tensors, and the checks with which every integer form begins.
#pragma once

#include <optional>
#include <string>

#include "models/graph.h"
#include "models/integer_op.h"
#include "models/operator_kind.h"
#include "models/quantise.h"
#include "tinytune/result.h"

namespace tinytune {

class OperatorView {
 public:
  OperatorView(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  const Operator& op() const { return op_; }
  Arithmetic arithmetic() const { return graph_.arithmetic; }
  size_t inputs() const { return op_.inputs.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  bool has_input(size_t i) const { return i < op_.inputs.size() && op_.inputs[i] >= 0; }
  const Tensor& input(size_t i) const { return graph_.tensor(op_.inputs.at(i)); }
  const Tensor& output(size_t i = 0) const { return graph_.tensor(op_.outputs.at(i)); }

  /// Return the error "operator 3 CONV_2D: …" with code kInvalidInput or kUnsupported.
  Error invalid(const std::string& why) const;
  Error unsupported(const std::string& why) const;

  /// int8 with one scale and zero point.
  Status require_int8(const Tensor& tensor) const;
  /// int16 with one scale and a zero point of 0, which TFLite's kernels assume.
  Status require_int16(const Tensor& tensor) const;
  /// One scale and zero point, whatever the type.
  Status require_quantised(const Tensor& tensor) const;
  Status require_rank(const Tensor& tensor, size_t rank) const;
  Status require_shape(const Tensor& tensor, const std::vector<int>& shape) const;
  Status require_constant(const Tensor& tensor) const;
  Status require_computed(const Tensor& tensor) const;  ///< no constant
  /// Requires equal zero points and scales that differ by at most `tolerance`, except of ONNX's
  /// operators.
  Status require_same_quantisation(const Tensor& a, const Tensor& b, double tolerance = 0) const;
  /// Returns output 0's range under a fused activation. kUnsupported: an empty range, or a bound of
  /// more than 2^31 steps.
  Result<Range> clamp_of(Activation activation) const;

 private:
  const Graph& graph_;
  const Operator& op_;
};

/// "t5 [1,25,5,64]".
std::string describe(const Tensor& tensor);

/// Returns a constant tensor's elements, int32, or int64 within int32. kUnsupported: neither.
Result<std::vector<int32_t>> int32_constant(const OperatorView& view, const Tensor& tensor);

/// Returns the operator's integer form, by one of the functions below or onnx_form(). Proves no
/// facts.
Result<IntegerOp> prepare_form(const OperatorView& view);

/// Returns ONNX's form of an operator that computes in float32 there; nullopt for operators that
/// only move or compare bytes, which take TFLite's form.
Result<std::optional<IntegerOp>> onnx_form(const OperatorView& view);

#define OPERATOR(kind, name, code, attributes, form, ...) \
  Result<IntegerOp> prepare_##form(const OperatorView& view);
#include "models/operators.inc"
#undef OPERATOR
#define INTEGER_OPERATOR(kind, name, form) \
  Result<IntegerOp> prepare_##form(const OperatorView& view);
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR
Result<IntegerOp> prepare_external(const OperatorView& view);

}  // namespace tinytune
