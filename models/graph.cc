#include "models/graph.h"

#include "models/operator_kind.h"

namespace tinytune {

size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kUint8:
    case ElementType::kBool:
    case ElementType::kInt4:
      return 1;
    case ElementType::kInt16:
      return 2;
    case ElementType::kInt32:
    case ElementType::kFloat32:
      return 4;
    case ElementType::kInt64:
      return 8;
  }
  return 1;
}

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return "int8";
    case ElementType::kUint8:
      return "uint8";
    case ElementType::kInt16:
      return "int16";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kBool:
      return "bool";
    case ElementType::kInt4:
      return "int4";
  }
  return "?";
}

std::string_view name_of(OperatorKind kind) {
  switch (kind) {
#define OPERATOR(kind, name, ...) \
  case OperatorKind::k##kind:     \
    return #name;
#include "models/operators.inc"
#undef OPERATOR
    case OperatorKind::kExternal:
      return "EXTERNAL";
    case OperatorKind::kElse:
      return "ELSE";
    case OperatorKind::kEndIf:
      return "END_IF";
    case OperatorKind::kDo:
      return "DO";
    case OperatorKind::kEndWhile:
      return "END_WHILE";
    case OperatorKind::kCopy:
      return "COPY";
#define INTEGER_OPERATOR(kind, name, ...) \
  case OperatorKind::k##kind:             \
    return #name;
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR
  }
  return "?";
}

int64_t Tensor::elements() const {
  int64_t product = 1;
  for (int extent : shape) product *= extent;
  return product;
}

}  // namespace tinytune
