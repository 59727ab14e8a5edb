// The import of networks of plain integers, Deeploy's and QuantLib's dialect of ONNX.
//
// Every tensor is declared float32 and holds integers. Its type follows from the operator that
// computes it: RequantShift states the number of levels of its result, products and sums are int32.
// There are no scales. In the graph a tensor is int32, or int8 with zero point 0, or -128 if the
// network has uint8.
//
// Results are stored as late as possible. A function of one byte stays a table until an operator
// reads its bytes, so that a chain of functions becomes one table. Sums (onnx_sums.cc) wait for the
// RequantShift that scales them, since layers that scale their own sums have fast kernels.
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
  std::vector<int> multiplier_shape, addend_shape;  ///< as they broadcast
  int shift = 0;
  int32_t low = -128, high = 127;
  ElementType type = ElementType::kInt8;  ///< of the result: int8, uint8, or int32 for more levels

  bool is_single() const { return multiplier.size() == 1 && addend.size() == 1; }
  /// Scales x. Requires is_single().
  int64_t scaled(int64_t x) const;
  /// Returns whether the operands vary along no axis but `axis` of a shape of `rank` axes.
  bool is_along(size_t axis, size_t rank) const;
  /// Adds the operands as tensors of the graph (models/operators/plain/operands.h).
  std::vector<int> operands(OnnxGraph& graph) const;
};

/// int32 results of a node that are not stored yet.
class OnnxSums {
 public:
  virtual ~OnnxSums() = default;
  virtual std::vector<int> shape(OnnxIntegers& integers) const = 0;
  /// Stores them; returns the int32 tensor.
  virtual Result<int> stored(OnnxIntegers& integers) const = 0;
  /// Returns the scaled result, int8; nullopt if no single operator computes it.
  virtual Result<std::optional<int>> scaled(OnnxIntegers& integers,
                                            const OnnxScaling& scaling) const = 0;
  /// Returns these sums plus a constant; null if the addition needs an operator of its own.
  virtual std::shared_ptr<const OnnxSums> plus(const OnnxTensor& constant) const = 0;
};

struct OnnxWhole {
  int id = -1;                            ///< tensor of the graph
  ElementType type = ElementType::kInt8;  ///< in the network: int8, uint8 or int32
  std::vector<int64_t> values;            ///< a function of tensor `id`, by its int8 from -128 on
  std::shared_ptr<const OnnxSums> sums;   ///< instead of a tensor

  bool is_byte() const { return type == ElementType::kInt8 || type == ElementType::kUint8; }
};

/// Returns the quantisation of a tensor of the graph that holds this type; empty for int32.
Quantization plain_quantization(ElementType type);
OnnxScale plain_scale(ElementType type);

class OnnxIntegers {
 public:
  OnnxIntegers(OnnxImport& import, OnnxModel& model) : import_(import), model_(model) {}

  OnnxGraph& graph() { return import_.graph(); }
  OnnxImport& import() { return import_; }

  /// `types`: given by the user, "name=uint8". kInvalidInput: an invalid one, or an input whose
  /// type is unknown.
  Status add_inputs(std::span<const std::string> types);
  Status read(const OnnxNode& node);
  /// Stores the outputs and makes their bytes known to OnnxImport.
  Status store_outputs();

  /// Input `i` of a node. kInvalidInput: there is none.
  Result<OnnxWhole> operand(const OnnxNode& node, size_t i);
  const OnnxTensor* constant(const OnnxNode& node, size_t i) const;
  /// Returns a constant's elements. kUnsupported: one of them is no int32.
  Result<std::vector<int32_t>> numbers(const OnnxNode& node, const OnnxTensor& tensor) const;
  /// Returns the narrowest type that holds all values.
  static ElementType narrowest(const std::vector<int32_t>& values);
  /// Returns an attribute of one integer, whatever its stored type; nullopt if absent.
  static std::optional<int64_t> attribute(const OnnxNode& node, const std::string& name);
  /// The same. kInvalidInput: it is absent or beyond 2^40.
  static Result<int64_t> required(const OnnxNode& node, const std::string& name);

  /// Returns the tensor of an input or value, constants too: int8 with plain_quantization(), or
  /// int32.
  Result<int> tensor(const OnnxNode& node, size_t i);
  Result<int> stored(const OnnxNode& node, const OnnxWhole& whole);
  /// Returns tensor `id` as int32.
  Result<int> widened(const OnnxNode& node, int id);
  std::vector<int> shape(const OnnxWhole& whole);
  ElementType type_of(int id);
  /// Applies `function` to the number of every byte of `whole`; the result has type `type`.
  template <typename Function>
  OnnxWhole mapped(const OnnxWhole& whole, ElementType type, Function function) {
    OnnxWhole result{whole.id, type, values_of(whole), nullptr};
    for (int64_t& value : result.values) value = function(value);
    return result;
  }
  /// Returns numbers by int8 from -128 on: those of the bytes themselves, or of their function.
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

/// Returns whether a network has plain integers: operators of the dialect, or types by the user.
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
