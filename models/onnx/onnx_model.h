// An .onnx file as plain structs, so that only onnx_model.cc depends on protobuf.
//
// Holds only what import reads: one graph, opset 7 or later, tensors inside the file. Constant
// nodes become initializers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

struct OnnxTensor {
  ElementType type = ElementType::kFloat32;
  std::vector<int> shape;
  std::vector<uint8_t> data;  ///< little-endian elements
  bool four_bits = false;     ///< int4 or uint4 in the file; a byte each here

  int64_t elements() const;
  /// Element i of an integer or float tensor.
  double at(size_t i) const;
  /// Element i as an integer, clamped to int32: slices write larger numbers for "to the end".
  int64_t integer(size_t i) const;
};

struct OnnxNode {
  int index = 0;
  std::string name, type, domain;                    ///< "Conv"; the standard domain is ""
  std::vector<std::string> inputs, outputs;          ///< "" where an optional one is absent
  std::map<std::string, std::vector<int64_t>> ints;  ///< attributes of one integer or several
  std::map<std::string, float> floats;
  std::map<std::string, std::vector<float>> float_lists;
  std::map<std::string, std::string> strings;
  std::map<std::string, OnnxTensor> tensors;

  int64_t get(const std::string& attribute, int64_t otherwise) const;
  std::vector<int64_t> get(const std::string& attribute, std::vector<int64_t> otherwise) const;
  float get_float(const std::string& attribute, float otherwise) const;
  bool has_input(size_t i) const { return i < inputs.size() && !inputs[i].empty(); }
};

struct OnnxValue {
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::vector<int> shape;  ///< a first axis of unknown extent is 1
};

struct OnnxModel {
  std::vector<OnnxNode> nodes;  ///< producers first
  std::map<std::string, OnnxTensor> initializers;
  std::map<std::string, std::string> unreadable;   ///< constants of other types, and their types
  std::map<std::string, std::vector<int>> shapes;  ///< of values, if the file gives them
  std::vector<OnnxValue> inputs, outputs;          ///< inputs without elements are initializers
  int64_t opset = 13;                              ///< of the standard domain
};

/// kInvalidInput: not a protobuf of a model, or damaged. kUnsupported: an older opset, inputs of
/// other element types, data outside the file, dynamic axes but the first.
Result<OnnxModel> read_onnx(std::span<const uint8_t> bytes);

}  // namespace tinytune
