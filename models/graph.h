// A neural network as the model file has it: tensors, operators in execution order, constants.
//
// Shapes are in elements, NHWC, outermost first. Tensor ids are the indices of the file's subgraph
// 0, then those of what it calls, call by call; operators are counted as they are met, called ones
// too. What import returns is well formed: ids in range, shapes positive and not overflowing,
// inputs computed before or variables, quantisation present where an operator needs it. What is
// computed from constants alone is a constant too, unless it is an output of the network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tinytune {

/// A bool is a byte, 0 or 1; whatever else stands in one counts as true. An int4 is a byte as well,
/// -8 to 7: files pack two into one, graphs do not.
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
  bool is_variable = false;   ///< state: what an inference leaves in it, the next one finds
  std::vector<uint8_t> data;  ///< little-endian elements; empty unless constant

  int64_t elements() const;
  int64_t bytes() const { return elements() * static_cast<int64_t>(size_of(type)); }
};

/// The operators of operators.inc, listed in models/operator_kind.h: a graph can be handed on
/// without knowing them all.
enum class OperatorKind : int;
/// TFLite's spelling, "CONV_2D".
std::string_view name_of(OperatorKind kind);

enum class Padding { kSame, kValid };
enum class Activation { kNone, kRelu, kRelu6, kReluN1To1 };

struct ConvAttributes {
  Padding padding = Padding::kSame;
  Activation activation = Activation::kNone;
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int depth_multiplier = 0;  ///< depthwise, as the file has it; 0: not given
  bool int32_sums = false;  ///< of int16 activations without a bias: the file's quantized_bias_type
};
struct PoolAttributes {
  Padding padding = Padding::kValid;
  Activation activation = Activation::kNone;
  int stride_h = 1, stride_w = 1, filter_h = 1, filter_w = 1;
};
struct ActivationAttributes {  ///< FULLY_CONNECTED, ADD, SUB, MUL, DIV
  Activation activation = Activation::kNone;
  bool int32_sums = false;  ///< of FULLY_CONNECTED, as ConvAttributes'
};
struct SoftmaxAttributes {
  float beta = 1;
};
struct AxisAttributes {  ///< CONCATENATION, PACK, UNPACK; negative counts from the end
  int axis = 0;
};
struct ReducerAttributes {  ///< MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL
  bool keep_dims = false;
};
struct LeakyReluAttributes {
  float alpha = 0;
};
struct GeluAttributes {
  bool approximate = false;  ///< by tanh, else by erf
};
struct ResizeAttributes {
  bool align_corners = false, half_pixel_centers = false;
  int offset = 0;  ///< in ONNX: what the model's bytes are above the graph's, 128 of uint8
};
struct StridedSliceAttributes {  ///< bit i of a mask is axis i
  int begin_mask = 0, end_mask = 0, shrink_axis_mask = 0;
};
struct TransposeConvAttributes {
  Padding padding = Padding::kSame;
  int stride_h = 1, stride_w = 1;
  Activation activation = Activation::kNone;
};
struct BlockAttributes {  ///< SPACE_TO_DEPTH, DEPTH_TO_SPACE
  int size = 1;
};
struct MirrorPadAttributes {
  bool reflect = true;  ///< the border itself is not repeated
};
struct GatherAttributes {  ///< negative counts from the end
  int axis = 0, batch_dims = 0;
};
struct BatchMatMulAttributes {  ///< whether an operand's last two axes are exchanged
  bool adj_x = false, adj_y = false;
};
struct CumsumAttributes {
  bool exclusive = false, reverse = false;
};
struct SvdfAttributes {
  int rank = 1;
};
struct LstmAttributes {
  float cell_clip = 0;      ///< of the cell's real value; 0: none
  bool time_major = false;  ///< [time, batch, …], else [batch, time, …]
};
// Of ONNX's operators (models/operators/onnx_forms.cc).
struct TableAttributes {  ///< QUANTIZE and functions of one byte: the output of each, by raw byte
  std::array<uint8_t, 256> table{};
};
struct QLinearAttributes {  ///< ADD and MUL as onnxruntime's kernels compute them, not the standard
  Activation activation = Activation::kNone;
  int offset = 0;                  ///< what the model's bytes are above the graph's: 128 of uint8
  std::array<bool, 2> repeated{};  ///< an operand of one number for each run of the other's
};
struct WindowMeanAttributes {  ///< AVERAGE_POOL_2D; what lies outside is not counted
  int stride_h = 1, stride_w = 1, filter_h = 1, filter_w = 1;
  int pad_top = 0, pad_left = 0;
  int offset = 0;  ///< as above
};
struct ExternalAttributes {
  std::string op;                ///< what the file calls it: "CUSTOM softsign", "EXP"
  std::string function;          ///< of Graph::externals
  std::vector<uint8_t> options;  ///< of a custom operator, as the file has them
};
using Attributes =
    std::variant<std::monostate, ConvAttributes, PoolAttributes, ActivationAttributes,
                 SoftmaxAttributes, AxisAttributes, ReducerAttributes, LeakyReluAttributes,
                 GeluAttributes, ResizeAttributes, StridedSliceAttributes, TransposeConvAttributes,
                 BlockAttributes, MirrorPadAttributes, GatherAttributes, BatchMatMulAttributes,
                 CumsumAttributes, SvdfAttributes, LstmAttributes, TableAttributes,
                 QLinearAttributes, WindowMeanAttributes, ExternalAttributes>;

struct Operator {
  int index = 0;
  OperatorKind kind{};
  std::vector<int> inputs;  ///< tensor ids; -1 where an optional input is absent
  std::vector<int> outputs;
  Attributes attributes;
};

/// Whose reference an operator's bytes are: scales in fixed point, or in float32 (ADR 76).
enum class Arithmetic { kTfliteMicro, kOnnx };

/// A C function of the user's that computes operators (models/external_operator.h).
struct ExternalFunction {
  std::string name;                   ///< of the function, and the stem of both files
  std::string header;                 ///< text that declares it
  std::optional<std::string> source;  ///< text that defines it, where that is at hand
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
