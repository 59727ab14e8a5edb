// Import of quantised ONNX networks: QDQ and QLinear operators, opset 7 on.
//
// A QDQ network states float32 computations between DequantizeLinear and QuantizeLinear. Each such
// section becomes one operator of the graph, whose integer form gives the same bytes
// (models/operators/onnx_forms.cc, ADR 76). uint8 activations become int8: values and zero point
// less 128 are the same real numbers. Operators outside such sections compute in float32 and are
// refused. Networks of plain integers, without scales: onnx_integers.h. onnx_operators.cc has a row
// for each operator.
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
/// that do not fit. `types`: integer types of float32 inputs in a network of plain integers,
/// "name=uint8", int8 or int32. `states`: pairs "input=output" that become state (onnx_state.cc).
/// kUnsupported: float32 networks (the message says how to quantise them), results that are not
/// quantised (it says where), other operators, dynamic shapes.
Result<Graph> import_onnx(std::span<const uint8_t> bytes, const std::string& name,
                          const std::string& label, std::span<const std::string> types = {},
                          std::span<const std::string> states = {});

/// Return the names of all imported operators in alphabetical order: in quantised networks, and in
/// networks of plain integers.
std::vector<std::string_view> onnx_operators();
std::vector<std::string_view> onnx_integer_operators();

}  // namespace tinytune
