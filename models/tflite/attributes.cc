#include "models/tflite/attributes.h"

#include <iterator>

#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/attribute_reading.h"

namespace tinytune {
namespace tflite {

Error missing() { return Error(ErrorCode::kInvalidInput, "its options are missing"); }

Result<Activation> read_activation(schema::ActivationFunction activation) {
  switch (activation) {
    case schema::ActivationFunction::NONE:
      return Activation::kNone;
    case schema::ActivationFunction::RELU:
      return Activation::kRelu;
    case schema::ActivationFunction::RELU6:
      return Activation::kRelu6;
    case schema::ActivationFunction::RELU_N1_TO_1:
      return Activation::kReluN1To1;
    default:
      return Error(ErrorCode::kUnsupported, "its fused activation is not a kind of RELU");
  }
}

Result<Padding> read_padding(schema::Padding padding) {
  if (padding == schema::Padding::SAME) return Padding::kSame;
  if (padding == schema::Padding::VALID) return Padding::kValid;
  return Error(ErrorCode::kInvalidInput, "its padding is neither SAME nor VALID");
}

Result<Attributes> read_nothing(const schema::Operator&) { return Attributes(); }

}  // namespace tflite

Result<Attributes> read_attributes(OperatorKind kind, const schema::Operator& op) {
  using Reader = Result<Attributes> (*)(const schema::Operator&);
  // By OperatorKind.
  static constexpr Reader kReaders[] = {
#define OPERATOR(kind, name, code, attributes, ...) tflite::read_##attributes,
#include "models/operators.inc"
#undef OPERATOR
  };
  const auto row = static_cast<size_t>(kind);
  if (row >= std::size(kReaders)) return Error(ErrorCode::kUnsupported, "no such operator");
  return kReaders[row](op);
}

Result<Attributes> external_attributes(const std::string& name, const ExternalFunction& function,
                                       const schema::Operator& op) {
  ExternalAttributes attributes{name, function.name, {}};
  if (const auto* options = op.custom_options())
    attributes.options.assign(options->begin(), options->end());
  return Attributes(std::move(attributes));
}

}  // namespace tinytune
