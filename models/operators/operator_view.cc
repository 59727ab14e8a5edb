#include "models/operators/operator_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <iterator>

namespace tinytune {
namespace {

std::string prefix(const Operator& op) {
  return fmt::format("operator {} {}: ", op.index, name_of(op.kind));
}

std::string shape_text(const std::vector<int>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

}  // namespace

std::string describe(const Tensor& tensor) {
  return fmt::format("t{} {}", tensor.id, shape_text(tensor.shape));
}

Error OperatorView::invalid(const std::string& why) const {
  return Error(ErrorCode::kInvalidInput, prefix(op_) + why);
}

Error OperatorView::unsupported(const std::string& why) const {
  return Error(ErrorCode::kUnsupported, prefix(op_) + why);
}

Status OperatorView::require_int8(const Tensor& tensor) const {
  if (tensor.type != ElementType::kInt8)
    return unsupported(fmt::format("{} is {}, not int8", describe(tensor), name_of(tensor.type)));
  return require_quantised(tensor);
}

Status OperatorView::require_int16(const Tensor& tensor) const {
  if (tensor.type != ElementType::kInt16)
    return unsupported(fmt::format("{} is {}, not int16", describe(tensor), name_of(tensor.type)));
  TT_TRY(require_quantised(tensor));
  if (tensor.quantization.zero_points[0] != 0)
    return unsupported(describe(tensor) + " is int16 with a zero point");
  return ok_status();
}

Status OperatorView::require_quantised(const Tensor& tensor) const {
  if (tensor.quantization.scales.empty()) return invalid(describe(tensor) + " has no quantisation");
  if (tensor.quantization.scales.size() > 1)
    return unsupported(describe(tensor) + " has more than one scale");
  return ok_status();
}

Status OperatorView::require_rank(const Tensor& tensor, size_t rank) const {
  if (tensor.shape.size() != rank)
    return invalid(fmt::format("{} is not of rank {}", describe(tensor), rank));
  return ok_status();
}

Status OperatorView::require_shape(const Tensor& tensor, const std::vector<int>& shape) const {
  if (tensor.shape != shape)
    return invalid(fmt::format("{} should be {}", describe(tensor), shape_text(shape)));
  return ok_status();
}

Status OperatorView::require_constant(const Tensor& tensor) const {
  if (!tensor.is_constant) return unsupported(describe(tensor) + " is not a constant");
  return ok_status();
}

Status OperatorView::require_computed(const Tensor& tensor) const {
  if (tensor.is_constant) return unsupported(describe(tensor) + " is a constant");
  return ok_status();
}

Status OperatorView::require_same_quantisation(const Tensor& a, const Tensor& b,
                                               double tolerance) const {
  if (arithmetic() == Arithmetic::kOnnx) return ok_status();
  const auto scale = [](const Tensor& t) {
    return t.quantization.scales.empty() ? 0.0F : t.quantization.scales[0];
  };
  const auto zero_point = [](const Tensor& t) {
    return t.quantization.zero_points.empty() ? 0 : t.quantization.zero_points[0];
  };
  if (std::abs(double{scale(a)} - double{scale(b)}) <= tolerance && zero_point(a) == zero_point(b))
    return ok_status();
  return unsupported(
      fmt::format("{} has scale {}, zero point {}, but {} has scale {}, zero point {}: "
                  "TFLite Micro refuses to rescale here; quantise both alike",
                  describe(a), scale(a), zero_point(a), describe(b), scale(b), zero_point(b)));
}

Result<Range> OperatorView::clamp_of(Activation activation) const {
  const Quantization& q = output().quantization;
  const float bound = activation == Activation::kRelu6 ? 6 : 1;
  const bool is_bounded = activation == Activation::kRelu6 || activation == Activation::kReluN1To1;
  if (is_bounded && !(bound / q.scales[0] <= 2147483648.0F))
    return unsupported(
        fmt::format("its activation's bound is more than 2^31 steps of {}, which "
                    "TFLite Micro refuses",
                    q.scales[0]));
  const Range range =
      activation_range(activation, q.scales[0], q.zero_points[0], limits_of(output().type));
  if (range.low > range.high) return unsupported("its activation leaves no value");
  return range;
}

namespace {

// Returns whether TFLite Micro unpacks int4 at this input.
bool may_be_packed(OperatorKind kind, size_t input) {
  return input == 1 && (kind == OperatorKind::kConv2d || kind == OperatorKind::kDepthwiseConv2d ||
                        kind == OperatorKind::kFullyConnected);
}

Status check_packed(const OperatorView& view) {
  for (size_t i = 0; i < view.inputs(); ++i)
    if (view.has_input(i) && view.input(i).type == ElementType::kInt4 &&
        !may_be_packed(view.op().kind, i))
      return view.unsupported(
          fmt::format("{} is int4, which only weights of CONV_2D, "
                      "DEPTHWISE_CONV_2D and FULLY_CONNECTED may be",
                      describe(view.input(i))));
  return ok_status();
}

using FormMaker = Result<IntegerOp> (*)(const OperatorView&);

// By OperatorKind.
constexpr FormMaker kForms[] = {
#define OPERATOR(kind, name, code, attributes, form, ...) prepare_##form,
#include "models/operators.inc"
#undef OPERATOR
};
static_assert(std::size(kForms) == static_cast<size_t>(OperatorKind::kExternal));

// By OperatorKind, from the one after kCopy on.
constexpr FormMaker kIntegerForms[] = {
#define INTEGER_OPERATOR(kind, name, form) prepare_##form,
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR
};

}  // namespace

Result<IntegerOp> prepare_form(const OperatorView& view) {
  TT_TRY(check_packed(view));
  if (view.arithmetic() == Arithmetic::kOnnx) {
    TT_TRY_ASSIGN(std::optional<IntegerOp> form, onnx_form(view));
    if (form) return std::move(*form);
  }
  const OperatorKind kind = view.op().kind;
  const auto row = static_cast<size_t>(kind);
  if (row < std::size(kForms)) return kForms[row](view);
  switch (kind) {
    case OperatorKind::kExternal:
      return prepare_external(view);
    case OperatorKind::kElse:
    case OperatorKind::kEndIf:
    case OperatorKind::kDo:
    case OperatorKind::kEndWhile:
      return prepare_nothing(view);
    case OperatorKind::kCopy:
      return prepare_whole_copy(view);
    default:
      break;
  }
  const size_t integer_row = row - static_cast<size_t>(OperatorKind::kCopy) - 1;
  if (integer_row >= std::size(kIntegerForms)) return view.unsupported("no such operator");
  return kIntegerForms[integer_row](view);
}

Result<std::vector<int32_t>> int32_constant(const OperatorView& view, const Tensor& tensor) {
  TT_TRY(view.require_constant(tensor));
  if (tensor.type == ElementType::kInt64) {
    std::vector<int32_t> narrow;
    for (size_t i = 0; i < tensor.data.size(); i += sizeof(int64_t)) {
      int64_t value;
      std::memcpy(&value, tensor.data.data() + i, sizeof value);
      narrow.push_back(static_cast<int32_t>(value));
      if (narrow.back() != value)
        return view.unsupported(fmt::format("{} holds {}", describe(tensor), value));
    }
    return narrow;
  }
  if (tensor.type != ElementType::kInt32)
    return view.unsupported(
        fmt::format("{} is {}, not int32", describe(tensor), name_of(tensor.type)));
  std::vector<int32_t> values(static_cast<size_t>(tensor.elements()));
  std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(int32_t));
  return values;
}

}  // namespace tinytune
