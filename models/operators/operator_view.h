// An operator with its tensors at hand, and the checks that every integer form begins with.
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

  /// "operator 3 CONV_2D: …", with the code that says whose fault it is.
  Error invalid(const std::string& why) const;
  Error unsupported(const std::string& why) const;

  /// int8 with one scale and zero point.
  Status require_int8(const Tensor& tensor) const;
  /// int16 with one scale and a zero point of 0, which TFLite's kernels take for granted.
  Status require_int16(const Tensor& tensor) const;
  /// One scale and zero point, whatever the type.
  Status require_quantised(const Tensor& tensor) const;
  Status require_rank(const Tensor& tensor, size_t rank) const;
  Status require_shape(const Tensor& tensor, const std::vector<int>& shape) const;
  Status require_constant(const Tensor& tensor) const;
  Status require_computed(const Tensor& tensor) const;  ///< no constant
  /// One zero point, and scales that differ by at most `tolerance`. ONNX's operators are not held
  /// to it.
  Status require_same_quantisation(const Tensor& a, const Tensor& b, double tolerance = 0) const;
  /// What a fused activation leaves of output 0's type. kUnsupported: nothing.
  Result<Range> clamp_of(Activation activation) const;

 private:
  const Graph& graph_;
  const Operator& op_;
};

/// "t5 [1,25,5,64]".
std::string describe(const Tensor& tensor);

/// A constant tensor's elements, of int32, or int64 within int32. kUnsupported: it is neither.
Result<std::vector<int32_t>> int32_constant(const OperatorView& view, const Tensor& tensor);

/// The operator's integer form, one of those below, or onnx_form()'s. No facts are proved yet.
Result<IntegerOp> prepare_form(const OperatorView& view);

/// ONNX's form of an operator that computes in float32 there; nothing for those that only move
/// bytes or compare them, which have TFLite's.
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
