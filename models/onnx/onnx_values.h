// What the names of an ONNX model stand for while it is imported: constants, bytes with a scale,
// and real numbers that are still to become bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/onnx/onnx_model.h"

namespace tinytune {

/// A scale and zero point of QuantizeLinear or DequantizeLinear, uint8 already counted as int8.
struct OnnxScale {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  ElementType type = ElementType::kUint8;  ///< as the model has it
  int axis = 0;
  bool four_bits = false;  ///< the model's bytes are int4 or uint4

  Quantization quantization() const { return {scales, zero_points, axis}; }
  /// What the model's bytes are above the graph's.
  int offset() const { return type == ElementType::kUint8 ? 128 : 0; }
  bool equals(const Quantization& q) const {
    return q.scales == scales && q.zero_points == zero_points;
  }
};

/// A constant that means real numbers: integers with a scale, or float32 without one.
struct OnnxConstant {
  const OnnxTensor* tensor = nullptr;
  OnnxScale scale;

  double real(size_t i, size_t channel) const;
};

/// The output of a node that is still to be computed.
struct OnnxPending {
  const OnnxNode* node = nullptr;
  int output = 0;
};

/// 8-bit data: a tensor of the graph, or, as long as nothing says their scale, what moves them.
/// Also bools and the whole numbers of ArgMax, tensors of the graph without a scale: int64 there is
/// int32.
struct OnnxBytes {
  int id = -1;
  ElementType type = ElementType::kInt8;  ///< of the model
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
  /// The inputs of a node that are constants, null elsewhere.
  std::vector<const OnnxTensor*> constants(const OnnxNode& node) const;
  /// A list of whole numbers: the attribute, or input `at`; nothing where neither is there.
  /// kUnsupported: the input is no constant.
  Result<std::optional<std::vector<int64_t>>> numbers(const OnnxNode& node, const char* attribute,
                                                      size_t at) const;
  /// Inputs `at` and `at + 1` of a node: a scale and a zero point. Absent, it is 0 of type `data`.
  Result<OnnxScale> scale(const OnnxNode& node, size_t at, ElementType data) const;
  /// The same for an activation: one scale, of int8 or uint8.
  Result<OnnxScale> activation_scale(const OnnxNode& node, size_t at, ElementType data) const;

  /// Whether a constant, an input or a node before has this name.
  bool knows(const std::string& name) const;

  const OnnxBytes* find_bytes(const std::string& name) const;
  void set_bytes(const std::string& name, OnnxBytes bytes) { bytes_[name] = bytes; }
  void set_real(const std::string& name, OnnxReal real) { reals_[name] = std::move(real); }
  /// kInvalidInput: nothing of that name is a real number.
  Result<OnnxReal> real(const OnnxNode& node, const std::string& name) const;
  /// The element type of 8-bit data or of a constant; int8 where nothing is known.
  ElementType type_of(const std::string& name) const;

  /// A float constant in its place, quantised.
  Status quantise_constant(const OnnxNode& node, const OnnxTensor& from, const OnnxScale& scale);

  /// "operator 3 Conv: why", as the model counts.
  static Error invalid(const OnnxNode& node, const std::string& why);
  static Error unsupported(const OnnxNode& node, const std::string& why);
  /// What to do about 16-bit types; "" of others.
  static std::string_view instead_of(const std::string& type);
  /// That nothing is quantised, and what to do about it. `node`: the first.
  Error in_float(const OnnxNode& node) const;
  /// "'name'", fit for a terminal.
  static std::string shown(const std::string& name);

 private:
  OnnxModel& model_;
  std::map<std::string, OnnxBytes> bytes_;
  std::map<std::string, OnnxReal> reals_;
};

}  // namespace tinytune
