#include "codegen/passes/rewriting.h"

#include <algorithm>

namespace tinytune {
namespace {

bool contains(const std::vector<int>& ids, int id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

std::vector<size_t> readers_of(const IntegerNetwork& network, int tensor) {
  std::vector<size_t> readers;
  for (size_t step = 0; step < network.ops.size(); ++step)
    if (contains(network.graph.operators[step].inputs, tensor)) readers.push_back(step);
  return readers;
}

bool is_output(const IntegerNetwork& network, int tensor) {
  return contains(network.graph.outputs, tensor);
}

std::optional<size_t> writer_of(const IntegerNetwork& network, int tensor) {
  for (size_t step = 0; step < network.ops.size(); ++step)
    if (contains(network.graph.operators[step].outputs, tensor)) return step;
  return std::nullopt;
}

std::optional<size_t> only_reader_of(const IntegerNetwork& network, int tensor) {
  const std::vector<size_t> readers = readers_of(network, tensor);
  if (readers.size() != 1 || is_output(network, tensor)) return std::nullopt;
  return readers[0];
}

void absorb(IntegerNetwork& network, size_t step, std::optional<int> into) {
  const auto at = static_cast<std::ptrdiff_t>(step);
  const Operator& op = network.graph.operators[step];
  network.absorbed.push_back({op.index, op.kind, into});
  network.graph.operators.erase(network.graph.operators.begin() + at);
  network.ops.erase(network.ops.begin() + at);
}

}  // namespace tinytune
