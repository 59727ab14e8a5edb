// A neural network as in the model file: tensors, operators in execution order, constants.
//
// Shapes are in elements, NHWC, outermost first. Tensor ids are the indices of the file's subgraph
// 0, then those of the subgraphs it calls, call by call; operators are numbered as import meets
// them, called ones too. Import returns well-formed graphs: ids in range, shapes positive and not
// overflowing, inputs computed before or variables, quantisation present where an operator needs
// it. Tensors computed from constants alone are constants too, except outputs of the network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/attributes.h"

namespace tinytune {

/// A bool is a byte, 0 or 1; any other value counts as true. An int4 takes a byte, too, -8 to 7:
/// files pack two into one, graphs do not.
enum class ElementType { kInt8, kUint8, kInt16, kInt32, kInt64, kFloat32, kBool, kInt4 };
size_t size_of(ElementType type);
std::string_view name_of(ElementType type);

/// real = scale * (quantised - zero_point). One scale, or one per index of `axis`.
struct Quantization {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int axis = 0;
  bool per_channel() const { return scales.size() > 1; }
};

struct Tensor {
  int id = 0;
  std::string name;
  ElementType type = ElementType::kInt8;
  std::vector<int> shape;  ///< empty for a scalar
  Quantization quantization;
  bool is_constant = false;
  bool is_variable = false;   ///< state: keeps its value from one inference to the next
  std::vector<uint8_t> data;  ///< little-endian elements; empty unless constant

  int64_t elements() const;
  int64_t bytes() const { return elements() * static_cast<int64_t>(size_of(type)); }
};

/// The operators of operators.inc, enumerated in models/operator_kind.h. Only declared here, so
/// that code that passes graphs on need not include the list.
enum class OperatorKind : int;
/// TFLite's spelling, "CONV_2D".
std::string_view name_of(OperatorKind kind);

struct Operator {
  int index = 0;
  OperatorKind kind{};
  std::vector<int> inputs;  ///< tensor ids; -1 where an optional input is absent
  std::vector<int> outputs;
  Attributes attributes;
};

/// The reference whose bytes operators reproduce: TFLite Micro, which scales in fixed point, or
/// ONNX, which scales in float32 (ADR 76).
enum class Arithmetic { kTfliteMicro, kOnnx };

/// A C function of the user's that computes operators (models/external_operator.h).
struct ExternalFunction {
  std::string name;                   ///< of the function, and the stem of both files
  std::string header;                 ///< text that declares it
  std::optional<std::string> source;  ///< text that defines it, if available
};

struct Graph {
  std::string name;  ///< the file's stem, any bytes: see codegen/networks/names.h
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<int> inputs, outputs;  ///< tensor ids, in the model's order
  Arithmetic arithmetic = Arithmetic::kTfliteMicro;
  std::vector<ExternalFunction> externals;

  const Tensor& tensor(int id) const { return tensors.at(static_cast<size_t>(id)); }
};

}  // namespace tinytune
