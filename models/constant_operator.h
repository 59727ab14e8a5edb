// Operators that read nothing but constants, or nothing but shapes. The oracle computes them when
// the model is read, so that no kernel, pass or emitter has to think of an operand that never
// changes.
#pragma once

#include <cstdint>
#include <vector>

#include "models/graph.h"
#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

/// Whether every input is a constant of the graph and one holds data (operators.inc says which).
/// True of operators that look at no data at all.
bool reads_only_constants(const Graph& graph, const Operator& op);

/// Such an operator: its form, which takes the data as if it were computed, and the data.
struct ConstantOperator {
  IntegerOp form;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<int64_t> output_bytes;
};

/// kUnsupported, kInvalidInput: as prepare().
Result<ConstantOperator> prepare_on_constants(const Graph& graph, const Operator& op);

/// The bytes of its outputs.
std::vector<std::vector<uint8_t>> computed(const ConstantOperator& op);

/// The form of an operator whose outputs are known: it copies them. For outputs of the network,
/// which must stand in the arena.
MoveOp copy_of_constants(std::vector<std::vector<uint8_t>> outputs);

}  // namespace tinytune
