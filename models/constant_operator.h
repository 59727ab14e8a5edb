// Constant folding: operators that read only constants, or only shapes. The oracle computes them
// when the model is read, so that no kernel, pass or emitter has to handle constant data.
#pragma once

#include <cstdint>
#include <vector>

#include "models/graph.h"
#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns whether every input is a constant of the graph and at least one of them holds data
/// (operators.inc lists which do). Also true for operators that read only shapes.
bool reads_only_constants(const Graph& graph, const Operator& op);

/// Such an operator: its form, prepared as if the data inputs were computed, and their bytes.
struct ConstantOperator {
  IntegerOp form;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<int64_t> output_bytes;
};

/// kUnsupported, kInvalidInput: as prepare().
Result<ConstantOperator> prepare_on_constants(const Graph& graph, const Operator& op);

/// Runs the operator; returns the bytes of its outputs.
std::vector<std::vector<uint8_t>> computed(const ConstantOperator& op);

/// Returns a form that copies known outputs: outputs of the network must be in the arena.
MoveOp copy_of_constants(std::vector<std::vector<uint8_t>> outputs);

}  // namespace tinytune
