#include "codegen/passes/rewriting.h"

#include <algorithm>
#include <utility>

namespace tinytune {

Rewriting::Rewriting(IntegerNetwork& network)
    : network_(network),
      readers_(network.graph.tensors.size()),
      writer_(network.graph.tensors.size()),
      is_output_(network.graph.tensors.size()),
      absorbed_(network.ops.size()) {
  for (const int tensor : network.graph.outputs) is_output_[at(tensor)] = true;
  for (size_t step = 0; step < steps(); ++step) {
    add_reads(step);
    for (const int tensor : op(step).outputs) writer_[at(tensor)] = step;
  }
}

Rewriting::~Rewriting() {
  size_t kept = 0;
  for (size_t step = 0; step < absorbed_.size(); ++step) {
    if (absorbed_[step]) continue;
    if (kept != step) {
      network_.ops[kept] = std::move(network_.ops[step]);
      network_.graph.operators[kept] = std::move(network_.graph.operators[step]);
    }
    ++kept;
  }
  network_.ops.resize(kept);
  network_.graph.operators.resize(kept);
}

std::optional<size_t> Rewriting::only_reader_of(int tensor) const {
  const std::vector<size_t>& readers = readers_of(tensor);
  if (readers.size() != 1 || is_output(tensor)) return std::nullopt;
  return readers[0];
}

void Rewriting::add_reads(size_t step) {
  for (const int tensor : op(step).inputs) {
    if (tensor < 0) continue;
    std::vector<size_t>& readers = readers_[at(tensor)];
    const auto place = std::lower_bound(readers.begin(), readers.end(), step);
    if (place == readers.end() || *place != step) readers.insert(place, step);
  }
}

void Rewriting::remove_reads(size_t step) {
  for (const int tensor : op(step).inputs)
    if (tensor >= 0) std::erase(readers_[at(tensor)], step);
}

void Rewriting::set_inputs(size_t step, std::vector<int> inputs) {
  remove_reads(step);
  network_.graph.operators[step].inputs = std::move(inputs);
  add_reads(step);
}

void Rewriting::set_outputs(size_t step, std::vector<int> outputs) {
  for (const int tensor : op(step).outputs) writer_[at(tensor)].reset();
  network_.graph.operators[step].outputs = std::move(outputs);
  for (const int tensor : op(step).outputs) writer_[at(tensor)] = step;
}

void Rewriting::absorb(size_t step, std::optional<int> into) {
  network_.absorbed.push_back({op(step).index, op(step).kind, into});
  remove_reads(step);
  for (const int tensor : op(step).outputs)
    if (writer_[at(tensor)] == step) writer_[at(tensor)].reset();
  absorbed_[step] = true;
}

}  // namespace tinytune
