// The values of an ONNX model's names during import: constants, bytes with a scale, and real
// numbers that are not quantised yet.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/onnx/onnx_model.h"

namespace tinytune {

/// A scale and zero point of QuantizeLinear or DequantizeLinear; uint8's zero points are less 128.
struct OnnxScale {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  ElementType type = ElementType::kUint8;  ///< in the model
  int axis = 0;
  bool four_bits = false;  ///< the model's bytes are int4 or uint4

  Quantization quantization() const { return {scales, zero_points, axis}; }
  /// The difference of the model's bytes from the graph's.
  int offset() const { return type == ElementType::kUint8 ? 128 : 0; }
  bool equals(const Quantization& q) const {
    return q.scales == scales && q.zero_points == zero_points;
  }
};

/// A constant of real numbers: integers with a scale, or float32 without one.
struct OnnxConstant {
  const OnnxTensor* tensor = nullptr;
  OnnxScale scale;

  double real(size_t i, size_t channel) const;
};

/// An output of a node that is not computed yet.
struct OnnxPending {
  const OnnxNode* node = nullptr;
  int output = 0;
};

/// 8-bit data: a tensor of the graph, or, while the scale is unknown, the node that moves them.
/// Also bools and the integers of ArgMax, which are tensors of the graph without a scale, int32 for
/// int64.
struct OnnxBytes {
  int id = -1;
  ElementType type = ElementType::kInt8;  ///< in the model
  OnnxPending pending;
  int depth = 0;  ///< nodes between bytes of the graph and this

  bool is_data() const { return type == ElementType::kInt8 || type == ElementType::kUint8; }
};

/// A real number: bytes with a scale, a constant, a float input, or a node's result.
struct OnnxReal {
  int bytes = -1;  ///< int8 tensor of the graph
  OnnxConstant constant;
  int stored = -1;  ///< float32 tensor of the graph
  OnnxPending pending;
  int depth = 0;  ///< nodes between bytes and this
};

class OnnxValues {
 public:
  explicit OnnxValues(OnnxModel& model) : model_(model) {}

  const OnnxTensor* constant(const std::string& name) const;
  /// Returns the inputs of a node, null unless constant.
  std::vector<const OnnxTensor*> constants(const OnnxNode& node) const;
  /// Returns a list of integers: the attribute, or input `at`; nullopt if both are absent.
  /// kUnsupported: the input is no constant.
  Result<std::optional<std::vector<int64_t>>> numbers(const OnnxNode& node, const char* attribute,
                                                      size_t at) const;
  /// Returns the scale at input `at` and the zero point behind it; if absent, 0 of type `data`.
  Result<OnnxScale> scale(const OnnxNode& node, size_t at, ElementType data) const;
  /// The same for an activation: one scale, of int8 or uint8.
  Result<OnnxScale> activation_scale(const OnnxNode& node, size_t at, ElementType data) const;

  /// Returns whether a constant, an input or an earlier node's output has this name.
  bool knows(const std::string& name) const;

  const OnnxBytes* find_bytes(const std::string& name) const;
  void set_bytes(const std::string& name, OnnxBytes bytes) { bytes_[name] = bytes; }
  void set_real(const std::string& name, OnnxReal real) { reals_[name] = std::move(real); }
  /// kUnsupported: nothing of that name is a real number.
  Result<OnnxReal> real(const OnnxNode& node, const std::string& name) const;
  /// Returns the element type of 8-bit data or of a constant; int8 if unknown.
  ElementType type_of(const std::string& name) const;

  /// Makes the quantised constant `from` the node's output.
  Status quantise_constant(const OnnxNode& node, const OnnxTensor& from, const OnnxScale& scale);

  /// Return the error "operator 3 Conv: why", numbered as in the model.
  static Error invalid(const OnnxNode& node, const std::string& why);
  static Error unsupported(const OnnxNode& node, const std::string& why);
  /// Returns advice on 16-bit types; "" for others.
  static std::string_view instead_of(const std::string& type);
  /// Returns the error that nothing is quantised, with advice. `node`: the first.
  Error in_float(const OnnxNode& node) const;
  /// Returns "'name'" in printable ASCII.
  static std::string shown(const std::string& name);

 private:
  OnnxModel& model_;
  std::map<std::string, OnnxBytes> bytes_;
  std::map<std::string, OnnxReal> reals_;
};

}  // namespace tinytune
