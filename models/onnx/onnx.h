// Import of quantised ONNX networks: QDQ and QLinear operators, opset 7 on.
//
// A QDQ network says what is computed in float32 between DequantizeLinear and QuantizeLinear. Each
// such stretch becomes one operator of the graph, whose integer form has that meaning
// (models/operators/onnx_forms.cc, ADR 76). uint8 activations become int8: 128 less, zero point
// included, is the same number. What is not between the two computes in float32 and is refused.
// Networks of plain integers, without scales, are another matter: onnx_integers.h.
// onnx_operators.cc has a row for each operator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

/// `name` becomes Graph::name; `label` starts every message. kInvalidInput: damaged, or operands
/// that do not fit. `types`: what float32 inputs of a network of plain integers hold,
/// "name=uint8", int8 or int32. `states`: pairs "input=output" that become state (onnx_state.cc).
/// kUnsupported: float32 networks (the message says how to quantise
/// them), results that are not quantised (it says where), other operators, dynamic shapes.
Result<Graph> import_onnx(std::span<const uint8_t> bytes, const std::string& name,
                          const std::string& label, std::span<const std::string> types = {},
                          std::span<const std::string> states = {});

/// The names of all operators that are imported, in alphabetical order: of quantised networks, and
/// of those of plain integers.
std::vector<std::string_view> onnx_operators();
std::vector<std::string_view> onnx_integer_operators();

}  // namespace tinytune
