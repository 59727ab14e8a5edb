#include "codegen/networks/split_layers.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tinytune {
namespace {

// Kernels read words where rows are multiples of words, as whole tensors are aligned.
constexpr int64_t kRowAlignment = 4;

bool is_aligned(const Tensor& tensor, int first_row) {
  return first_row * row_bytes(tensor) % kRowAlignment == 0;
}

HalfLayer half_of(const IntegerOp& form, const RowMap& map, RowRange out) {
  return {computing_rows(form, map, out), map.needed(out), out};
}

ArenaPlace rows_of(const ArenaPlace& place, const Tensor& tensor, const RowRange& rows) {
  const auto bytes = static_cast<uint32_t>(row_bytes(tensor));
  return {place.offset + static_cast<uint32_t>(rows.begin) * bytes,
          static_cast<uint32_t>(rows.count()) * bytes};
}

}  // namespace

std::optional<SplitLayer> split_layer(const Graph& graph, const Operator& op, const IntegerOp& form,
                                      int rows) {
  if (op.index == kTransformIndex) return std::nullopt;
  const auto map = row_map(graph, op, form);
  if (!map || rows < 1 || rows >= map->out_rows) return std::nullopt;
  SplitLayer split{half_of(form, *map, {0, rows}), half_of(form, *map, {rows, map->out_rows})};
  if (!is_aligned(graph.tensor(op.outputs[0]), rows)) return std::nullopt;
  for (const int input : op.inputs) {
    if (input < 0 || graph.tensor(input).is_constant) continue;
    if (!is_aligned(graph.tensor(input), split[1].in.begin)) return std::nullopt;
  }
  return split;
}

std::vector<CoreSplit> even_splits(const LaidOutGraph& network, std::span<const StripFlow> flows) {
  std::vector<CoreSplit> splits;
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const Operator& op = network.graph.operators[step];
    if (flow_at(flows, step) || op.outputs.size() != 1) continue;
    const auto map = row_map(network.graph, op, network.ops[step]);
    if (!map) continue;
    // The first core also forks and joins: it gets the smaller part.
    for (int rows = map->out_rows / 2; rows > 0 && rows >= map->out_rows / 2 - 3; --rows) {
      if (!split_layer(network.graph, op, network.ops[step], rows)) continue;
      splits.push_back({op.index, rows});
      break;
    }
  }
  return splits;
}

Result<std::vector<std::optional<SplitLayer>>> split_layers(const LaidOutGraph& network,
                                                            std::span<const StripFlow> flows,
                                                            std::span<const CoreSplit> splits) {
  std::vector<std::optional<SplitLayer>> by_step(network.ops.size());
  for (const CoreSplit& split : splits) {
    bool made = false;
    for (size_t step = 0; step < network.ops.size(); ++step) {
      const Operator& op = network.graph.operators[step];
      if (op.index != split.index || flow_at(flows, step)) continue;
      by_step[step] = split_layer(network.graph, op, network.ops[step], split.rows);
      made = by_step[step].has_value();
    }
    if (!made)
      return Error(ErrorCode::kInvalidInput, "operator " + std::to_string(split.index) +
                                                 " cannot be split behind row " +
                                                 std::to_string(split.rows));
  }
  return by_step;
}

LayerPrinter::Operands operands_of(const Graph& graph, const Operator& op, const HalfLayer& half,
                                   std::span<const std::optional<ArenaPlace>> places) {
  LayerPrinter::Operands operands;
  for (const int input : op.inputs) {
    const bool constant = input < 0 || graph.tensor(input).is_constant;
    operands.inputs.push_back(constant ? ArenaPlace()
                                       : rows_of(places[static_cast<size_t>(input)].value(),
                                                 graph.tensor(input), half.in));
  }
  const auto output = static_cast<size_t>(op.outputs[0]);
  operands.output = rows_of(places[output].value(), graph.tensor(op.outputs[0]), half.out);
  return operands;
}

ArenaBuffer core_words(size_t steps) {
  return {kCoreWordBytes, -1, std::max(0, static_cast<int>(steps) - 1)};
}

}  // namespace tinytune
