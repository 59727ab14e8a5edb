// Removes READ_VARIABLE and ASSIGN_VARIABLE, which copy all of a variable: readers read the
// variable itself, and the assigned value is computed in it.
//
// A streaming layer reads its last frames, appends the new one and assigns the result without the
// oldest: four copies per step, of which two only move state out of the variable and back. They are
// removed if that is not observable: the variable may not be written while the value read from it
// is still needed, nor read while it already holds the value that will be assigned.
#include <algorithm>

#include "codegen/passes/rewriting.h"
#include "models/control_flow.h"
#include "models/operator_kind.h"

namespace tinytune {
namespace {

bool names(const std::vector<int>& tensors, int tensor) {
  return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
}

bool is_alike(const Tensor& a, const Tensor& b) { return a.type == b.type && a.shape == b.shape; }

// Whether a step behind `first` and before `last` may write the variable: as an output, or as an
// input, which operators that keep state update.
bool is_written_between(const Rewriting& network, int variable, size_t first, size_t last) {
  for (size_t step = first + 1; step < last; ++step) {
    const Operator& op = network.op(step);
    if (names(op.outputs, variable)) return true;
    if (names(op.inputs, variable) && op.kind != OperatorKind::kReadVariable) return true;
  }
  return false;
}

bool is_named_between(const Rewriting& network, int variable, size_t first, size_t last) {
  for (size_t step = first + 1; step < last; ++step)
    if (names(network.op(step).outputs, variable) || names(network.op(step).inputs, variable))
      return true;
  return false;
}

// Refuses copies, which would be aliases of the variable for longer than is checked here, and
// functions of the user's, which are promised inputs of their own.
bool can_read_in_place(Rewriting& network, size_t reader, int variable) {
  return !std::holds_alternative<CopyOp>(network.form(reader)) &&
         network.op(reader).kind != OperatorKind::kExternal &&
         !names(network.op(reader).outputs, variable);
}

void read_in_place(Rewriting& network, size_t step) {
  const Operator& op = network.op(step);
  const int variable = op.inputs[0], value = op.outputs[0];
  const std::vector<size_t> readers = network.readers_of(value);
  if (network.is_output(value) || readers.empty() ||
      !is_alike(network.graph().tensor(variable), network.graph().tensor(value)) ||
      is_written_between(network, variable, step, readers.back()))
    return;
  for (const size_t reader : readers)
    if (!can_read_in_place(network, reader, variable)) return;
  for (const size_t reader : readers) {
    std::vector<int> inputs = network.op(reader).inputs;
    std::replace(inputs.begin(), inputs.end(), value, variable);
    network.set_inputs(reader, std::move(inputs));
  }
  network.absorb(step, network.op(readers[0]).index);
}

void assign_in_place(Rewriting& network, size_t step) {
  const Operator& op = network.op(step);
  const int value = op.inputs[0], variable = op.outputs[0];
  const auto writer = network.writer_of(value);
  if (network.graph().tensor(value).is_variable || !writer || *writer >= step ||
      network.only_reader_of(value) != step ||
      !is_alike(network.graph().tensor(variable), network.graph().tensor(value)) ||
      !std::holds_alternative<MoveOp>(network.form(*writer)) ||
      network.op(*writer).outputs.size() != 1 || names(network.op(*writer).inputs, variable) ||
      is_named_between(network, variable, *writer, step))
    return;
  const int index = network.op(*writer).index;
  network.absorb(step, index);
  network.set_outputs(*writer, {variable});
}

}  // namespace

void keep_state_in_place(IntegerNetwork& network) {
  if (has_control_flow(network.graph)) return;
  Rewriting rewriting(network);
  const auto each = [&](OperatorKind kind, void (*rewrite)(Rewriting&, size_t)) {
    for (size_t step = 0; step < rewriting.steps(); ++step) {
      const Operator& op = rewriting.op(step);
      if (op.kind == kind && op.inputs.size() == 1 && op.outputs.size() == 1)
        rewrite(rewriting, step);
    }
  };
  each(OperatorKind::kReadVariable, read_in_place);
  each(OperatorKind::kAssignVariable, assign_in_place);
}

}  // namespace tinytune
