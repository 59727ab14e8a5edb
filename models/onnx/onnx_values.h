// What the names of an ONNX model stand for while it is imported: constants, bytes with a scale,
// and real numbers that are still to become bytes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/onnx/onnx_graph.h"
#include "models/onnx/onnx_model.h"

namespace tinytune {

/// A scale and zero point of QuantizeLinear or DequantizeLinear, uint8 already counted as int8.
struct OnnxScale {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  ElementType type = ElementType::kUint8;  ///< as the model has it
  int axis = 0;

  Quantization quantization() const { return {scales, zero_points, axis}; }
};

/// A real number: bytes with a scale, a constant with one, a float input, or a node's result.
struct OnnxReal {
  int bytes = -1;  ///< int8 tensor of the graph
  const OnnxTensor* constant = nullptr;
  OnnxScale scale;  ///< of the constant
  int stored = -1;  ///< float32 tensor of the graph
  const OnnxNode* node = nullptr;
  int depth = 0;  ///< nodes between bytes and this
};

class OnnxValues {
 public:
  OnnxValues(OnnxModel& model, OnnxGraph& graph) : model_(model), graph_(graph) {}

  const OnnxTensor* constant(const std::string& name) const;
  /// Inputs `at` and `at + 1` of a node: a scale and a zero point, which may be absent.
  Result<OnnxScale> scale(const OnnxNode& node, size_t at) const;
  /// The same for an activation: one scale, of int8 or uint8.
  Result<OnnxScale> activation_scale(const OnnxNode& node, size_t at) const;

  /// Whether a constant, an input or a node before has this name.
  bool knows(const std::string& name) const;

  Status add_inputs();
  Status add_outputs();

  /// int8 bytes of that name and scale; what they are is decided where they are first read.
  Result<int> bytes(const OnnxNode& node, const std::string& name, const OnnxScale& scale);
  void set_bytes(const std::string& name, int id, ElementType type) { bytes_[name] = {id, type}; }
  void set_real(const std::string& name, OnnxReal real) { reals_[name] = std::move(real); }
  Result<OnnxReal> real(const OnnxNode& node, const std::string& name) const;

  /// A float constant in its place, quantised.
  Status quantise_constant(const OnnxNode& node, const OnnxTensor& from, const OnnxScale& scale);

  /// "operator 3 Conv: why", as the model counts.
  static Error invalid(const OnnxNode& node, const std::string& why);
  static Error unsupported(const OnnxNode& node, const std::string& why);
  /// That the node computes in float32, and what to do about it.
  static Error in_float(const OnnxNode& node);

 private:
  struct Bytes {
    int id;
    ElementType type;  ///< of the model
  };
  OnnxModel& model_;
  OnnxGraph& graph_;
  std::map<std::string, Bytes> bytes_;
  std::map<std::string, OnnxReal> reals_;
};

}  // namespace tinytune
