// The import of networks of plain integers, Deeploy's and QuantLib's dialect of ONNX.
//
// Every tensor is declared float32 and holds integers. Which type one has follows from what
// computes it: RequantShift says of how many levels its result is, products and sums are int32.
// Scales there are none. In the graph a tensor is int32, or int8 with zero point 0, or -128 where
// the network has uint8.
//
// What a name stands for is stored as late as it can be. A function of one byte stays a table until
// something reads bytes, so that any number of functions behind each other are one table; sums
// (onnx_sums.h) wait for the RequantShift that scales them, since a layer that scales its own sums
// is one that has fast kernels.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/onnx/onnx_import.h"

namespace tinytune {

class OnnxIntegers;

/// A node's RequantShift: clamp((x * multiplier + addend + half) >> shift, low, high).
struct OnnxScaling {
  const OnnxNode& node;
  std::vector<int32_t> multiplier, addend;
  std::vector<int> multiplier_shape, addend_shape;  ///< as broadcasting lines them up
  int shift = 0;
  int32_t low = -128, high = 127;
  ElementType type = ElementType::kInt8;  ///< of the result: int8, uint8, or int32 for more levels

  bool is_single() const { return multiplier.size() == 1 && addend.size() == 1; }
  /// Of a single one.
  int64_t scaled(int64_t x) const;
  /// Whether all that is not single lies along `axis` of a shape of `rank` axes.
  bool is_along(size_t axis, size_t rank) const;
  /// The operands as tensors of the graph (models/operators/plain/operands.h).
  std::vector<int> operands(OnnxGraph& graph) const;
};

/// int32 numbers that a node computes and that are not stored yet.
class OnnxSums {
 public:
  virtual ~OnnxSums() = default;
  virtual std::vector<int> shape(OnnxIntegers& integers) const = 0;
  /// An int32 tensor.
  virtual Result<int> stored(OnnxIntegers& integers) const = 0;
  /// The scaled result, int8; nothing where no one operator has it.
  virtual Result<std::optional<int>> scaled(OnnxIntegers& integers,
                                            const OnnxScaling& scaling) const = 0;
  /// With a constant added; null where that is an operator of its own.
  virtual std::shared_ptr<const OnnxSums> plus(const OnnxTensor& constant) const = 0;
};

struct OnnxWhole {
  int id = -1;                            ///< of the graph
  ElementType type = ElementType::kInt8;  ///< in the network: int8, uint8 or int32
  std::vector<int64_t> values;            ///< a function of tensor `id`, of its int8 from -128 on
  std::shared_ptr<const OnnxSums> sums;   ///< instead of a tensor

  bool is_byte() const { return type == ElementType::kInt8 || type == ElementType::kUint8; }
};

/// The scale of a tensor of the graph that holds such bytes: none of int32.
Quantization plain_quantization(ElementType type);
OnnxScale plain_scale(ElementType type);

class OnnxIntegers {
 public:
  OnnxIntegers(OnnxImport& import, OnnxModel& model) : import_(import), model_(model) {}

  OnnxGraph& graph() { return import_.graph(); }
  OnnxImport& import() { return import_; }

  /// `types`: what the user says, "name=uint8". kInvalidInput: a wrong one, or an input whose type
  /// nothing says.
  Status add_inputs(std::span<const std::string> types);
  Status read(const OnnxNode& node);
  /// Leaves the outputs where OnnxImport finds bytes.
  Status store_outputs();

  /// Input `i` of a node. kInvalidInput: there is none.
  Result<OnnxWhole> operand(const OnnxNode& node, size_t i);
  const OnnxTensor* constant(const OnnxNode& node, size_t i) const;
  /// The same as integers.
  Result<std::vector<int32_t>> numbers(const OnnxNode& node, const OnnxTensor& tensor) const;
  /// The narrowest type that holds them.
  static ElementType narrowest(const std::vector<int32_t>& values);
  /// An attribute of one integer, whatever its type; nothing where it is absent.
  static std::optional<int64_t> attribute(const OnnxNode& node, const std::string& name);
  /// kInvalidInput: it is absent.
  static Result<int64_t> required(const OnnxNode& node, const std::string& name);

  /// A tensor of input `i` or of a value, constants too: int8 with plain_quantization(), or int32.
  Result<int> tensor(const OnnxNode& node, size_t i);
  Result<int> stored(const OnnxNode& node, const OnnxWhole& whole);
  /// The same as int32.
  Result<int> widened(const OnnxNode& node, int id);
  std::vector<int> shape(const OnnxWhole& whole);
  ElementType type_of(int id);
  /// A function's result, of type `type`, for every byte of a whole; it is asked with integers.
  template <typename Function>
  OnnxWhole mapped(const OnnxWhole& whole, ElementType type, Function function) {
    OnnxWhole result{whole.id, type, values_of(whole), nullptr};
    for (int64_t& value : result.values) value = function(value);
    return result;
  }
  /// By int8 from -128 on: the byte itself, or the function's.
  std::vector<int64_t> values_of(const OnnxWhole& whole);

 private:
  Status find_types(std::span<const std::string> given);
  Result<bool> read_constant(const OnnxNode& node);
  Result<OnnxWhole> computed(const OnnxNode& node);
  Result<OnnxWhole> moved(const OnnxNode& node, int output);

  OnnxImport& import_;
  OnnxModel& model_;
  std::map<std::string, OnnxWhole> wholes_;
  std::map<std::string, ElementType> types_;  ///< of the network's inputs
};

/// Whether a network is one: it has operators of the dialect, or the user says what inputs hold.
bool is_of_integers(const OnnxModel& model, std::span<const std::string> types);

// onnx_integer_operators.cc
Result<OnnxWhole> import_requant_shift(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_pair(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_relu(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_concat(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_division(OnnxIntegers&, const OnnxNode&);
int64_t integer_gelu(const OnnxNode&, int64_t);
int64_t integer_hardswish(const OnnxNode&, int64_t);
int64_t integer_relu(const OnnxNode&, int64_t);

// onnx_integer_gather.cc
Result<OnnxWhole> import_integer_gather(OnnxIntegers&, const OnnxNode&);

// onnx_integer_rows.cc
Result<OnnxWhole> import_integer_softmax(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_norm(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_reduction(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_max_pool(OnnxIntegers&, const OnnxNode&);

// onnx_sums.cc
Result<OnnxWhole> import_integer_conv(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_product(OnnxIntegers&, const OnnxNode&);
Result<OnnxWhole> import_integer_gemm(OnnxIntegers&, const OnnxNode&);

}  // namespace tinytune
