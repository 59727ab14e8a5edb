// Import of quantised ONNX networks: QDQ and QLinear operators, opset 13 on.
//
// A QDQ network says what is computed in float32 between DequantizeLinear and QuantizeLinear. Each
// such stretch becomes one operator of the graph, whose integer form has that meaning
// (models/operators/onnx_forms.cc, ADR 76). uint8 activations become int8: 128 less, zero point
// included, is the same number. What is not between the two computes in float32 and is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

/// `name` becomes Graph::name; `label` starts every message. kInvalidInput: damaged, or operands
/// that do not fit. kUnsupported: float32 networks (the message says how to quantise them), other
/// operators, dynamic shapes.
Result<Graph> import_onnx(std::span<const uint8_t> bytes, const std::string& name,
                          const std::string& label);

}  // namespace tinytune
