// Queries (readers and writers of a tensor) and changes of a network for passes.
//
// Readers and writers are indexed once and kept up to date, and removed operators are erased
// together at the end: a pass over ten thousand operators is linear, and steps stay valid until
// then.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "models/integer_network.h"

namespace tinytune {

class Rewriting {
 public:
  explicit Rewriting(IntegerNetwork& network);
  /// Erases absorbed operators, which renumbers the steps.
  ~Rewriting();
  Rewriting(const Rewriting&) = delete;
  Rewriting& operator=(const Rewriting&) = delete;

  size_t steps() const { return network_.ops.size(); }
  const Graph& graph() const { return network_.graph; }
  const Operator& op(size_t step) const { return network_.graph.operators[step]; }
  IntegerOp& form(size_t step) { return network_.ops[step]; }

  /// Steps that read the tensor, each once, in order.
  const std::vector<size_t>& readers_of(int tensor) const { return readers_[at(tensor)]; }
  /// The step that writes the tensor; nothing for inputs and constants.
  std::optional<size_t> writer_of(int tensor) const { return writer_[at(tensor)]; }
  bool is_output(int tensor) const { return is_output_[at(tensor)]; }
  /// The one step that reads the tensor, if it is no output and nothing else reads it.
  std::optional<size_t> only_reader_of(int tensor) const;

  void set_inputs(size_t step, std::vector<int> inputs);
  void set_outputs(size_t step, std::vector<int> outputs);
  /// Marks a step for removal; `into` is the model's index of the operator that does its work now.
  void absorb(size_t step, std::optional<int> into);

 private:
  static size_t at(int tensor) { return static_cast<size_t>(tensor); }
  void add_reads(size_t step);
  void remove_reads(size_t step);

  IntegerNetwork& network_;
  std::vector<std::vector<size_t>> readers_;   // by tensor
  std::vector<std::optional<size_t>> writer_;  // by tensor
  std::vector<bool> is_output_;                // by tensor
  std::vector<bool> absorbed_;                 // by step
};

}  // namespace tinytune
