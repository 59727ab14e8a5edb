#include "codegen/networks/split_layers.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "codegen/networks/channel_parts.h"
#include "schedules/weight_facts.h"

namespace tinytune {
namespace {

// Kernels load words where sizes permit, relying on aligned tensors: halves must begin at words.
constexpr int64_t kAlignment = 4;

ArenaPlace slice(int64_t offset, int64_t bytes) {
  return {static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)};
}

ArenaPlace rows_of(const Tensor& tensor, const RowRange& rows) {
  return slice(rows.begin * row_bytes(tensor), rows.count() * row_bytes(tensor));
}

ArenaPlace share_of(const Tensor& tensor, const RowRange& parts, int of) {
  const int64_t bytes = tensor.bytes() / of;
  return slice(parts.begin * bytes, parts.count() * bytes);
}

bool is_computed(const Graph& graph, int input) {
  return input >= 0 && !graph.tensor(input).is_constant;
}

HalfLayer half_of_rows(const Graph& graph, const Operator& op, const IntegerOp& form,
                       const RowMap& map, RowRange out) {
  HalfLayer half{computing_rows(form, map, out), LayerPart::kRows, out};
  for (const int input : op.inputs)
    half.inputs.push_back(is_computed(graph, input) ? rows_of(graph.tensor(input), map.needed(out))
                                                    : ArenaPlace());
  half.output = rows_of(graph.tensor(op.outputs[0]), out);
  return half;
}

/// Keeps the whole layer's facts if they hold for the half, so that both halves share a kernel.
/// Otherwise proves the half's own.
KernelOp half_of_channels(const KernelOp& op, RowRange out) {
  KernelOp half = computing_channels(op, out.begin, out.count());
  if (!facts_hold(half.workload, half.data))
    half.workload.facts = prove_facts(half.workload, half.data);
  return half;
}

/// Returns the outermost batch axis of the result that has more than one batch, else the last.
template <typename MatMul>
size_t outer_axis(const MatMul& op) {
  size_t axis = 0;
  while (axis < 2 && op.batches[axis] == 1) ++axis;
  return axis;
}

/// The first inputs are factors. The others define the requantisation, which all matrices share.
constexpr size_t kFactors = 2;

template <typename MatMul>
HalfLayer half_of_matrices(const Graph& graph, const Operator& op, const MatMul& form,
                           RowRange out) {
  const size_t axis = outer_axis(form);
  MatMul part = form;
  part.batches[axis] = out.count();
  HalfLayer half{part, LayerPart::kMatrices, out};
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (i >= kFactors) {
      half.inputs.emplace_back();
      continue;
    }
    const Tensor& tensor = graph.tensor(op.inputs[i]);
    const int64_t step = (i == 0 ? form.left : form.right).batch_steps[axis];
    const int64_t begin = step * out.begin * static_cast<int64_t>(size_of(tensor.type));
    half.inputs.push_back(slice(begin, tensor.bytes() - begin));
  }
  half.output = share_of(graph.tensor(op.outputs[0]), out, form.batches[axis]);
  return half;
}

/// The number of parts of a layer's output, and the function that builds a half from some of them.
struct Parts {
  int count = 0;
  std::function<HalfLayer(RowRange)> computing;
};

std::optional<Parts> parts_of(const Graph& graph, const Operator& op, const KernelOp& form) {
  const Workload& w = form.workload;
  if (!has_channel_parts(w) || w.layout != Layout::kNhwc) return std::nullopt;
  return Parts{w.out_c, [&](RowRange out) {
                 HalfLayer half{half_of_channels(form, out), LayerPart::kChannels, out};
                 for (const int input : op.inputs)
                   half.inputs.push_back(is_computed(graph, input)
                                             ? slice(0, graph.tensor(input).bytes())
                                             : ArenaPlace());
                 half.output = share_of(graph.tensor(op.outputs[0]), out, w.out_c);
                 return half;
               }};
}

template <typename MatMul>
std::optional<Parts> parts_of_matmul(const Graph& graph, const Operator& op, const MatMul& form) {
  if (op.inputs.size() < kFactors || !form.left.constant.empty() || !form.right.constant.empty())
    return std::nullopt;
  if (std::any_of(op.inputs.begin() + kFactors, op.inputs.end(),
                  [&](int input) { return is_computed(graph, input); }))
    return std::nullopt;
  return Parts{form.batches[outer_axis(form)],
               [&](RowRange out) { return half_of_matrices(graph, op, form, out); }};
}

std::optional<Parts> parts_of(const Graph& graph, const Operator& op, const MatMulOp& form) {
  return parts_of_matmul(graph, op, form);
}

std::optional<Parts> parts_of(const Graph& graph, const Operator& op, const PlainMatMulOp& form) {
  return parts_of_matmul(graph, op, form);
}

template <typename Other>
std::optional<Parts> parts_of(const Graph&, const Operator&, const Other&) {
  return std::nullopt;
}

/// The result refers to the arguments.
std::optional<Parts> parts_of(const Graph& graph, const Operator& op, const IntegerOp& form) {
  if (op.index == kTransformIndex || op.outputs.size() != 1) return std::nullopt;
  if (const auto map = row_map(graph, op, form); map && map->out_rows > 1)
    return Parts{map->out_rows,
                 [&, map = *map](RowRange out) { return half_of_rows(graph, op, form, map, out); }};
  return std::visit([&](const auto& o) { return parts_of(graph, op, o); }, form);
}

bool is_aligned(const ArenaPlace& place) { return place.offset % kAlignment == 0; }

/// Whether a kernel exists: roundings other than TFLite's have no requantisation that is always
/// exact.
bool has_kernel(const IntegerOp& form) {
  const auto* op = std::get_if<KernelOp>(&form);
  return op == nullptr || op->workload.rounding == Rounding::kTwice ||
         op->workload.facts.requantise != Requantise::kLong;
}

}  // namespace

std::optional<SplitLayer> split_layer(const Graph& graph, const Operator& op, const IntegerOp& form,
                                      int count) {
  const std::optional<Parts> parts = parts_of(graph, op, form);
  if (!parts || count < 1 || count >= parts->count) return std::nullopt;
  SplitLayer split{parts->computing({0, count}), parts->computing({count, parts->count})};
  if (!is_aligned(split[1].output) || !std::ranges::all_of(split[1].inputs, is_aligned))
    return std::nullopt;
  if (!has_kernel(split[0].form) || !has_kernel(split[1].form)) return std::nullopt;
  return split;
}

std::vector<CoreSplit> even_splits(const LaidOutGraph& network, std::span<const StripFlow> flows) {
  std::vector<CoreSplit> splits;
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const Operator& op = network.graph.operators[step];
    const std::optional<Parts> parts = parts_of(network.graph, op, network.ops[step]);
    if (!parts || flow_at(flows, step)) continue;
    // The first core also forks and joins: it gets the smaller part.
    for (int count = parts->count / 2; count > 0 && count >= parts->count / 2 - 3; --count) {
      if (!split_layer(network.graph, op, network.ops[step], count)) continue;
      splits.push_back({op.index, count});
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
      by_step[step] = split_layer(network.graph, op, network.ops[step], split.count);
      made = by_step[step].has_value();
    }
    if (!made)
      return Error(ErrorCode::kInvalidInput, "operator " + std::to_string(split.index) +
                                                 " cannot be split behind row " +
                                                 std::to_string(split.count));
  }
  return by_step;
}

LayerPrinter::Operands operands_of(const Operator& op, const HalfLayer& half,
                                   std::span<const std::optional<ArenaPlace>> places) {
  const auto within = [&](int tensor, const ArenaPlace& part) {
    const ArenaPlace& whole = places[static_cast<size_t>(tensor)].value();
    return ArenaPlace{whole.offset + part.offset, part.bytes};
  };
  LayerPrinter::Operands operands;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    operands.inputs.push_back(half.inputs[i].bytes == 0 ? ArenaPlace()
                                                        : within(op.inputs[i], half.inputs[i]));
  operands.output = within(op.outputs[0], half.output);
  return operands;
}

ArenaBuffer core_words(size_t steps) {
  return {kCoreWordBytes, -1, std::max(0, static_cast<int>(steps) - 1)};
}

}  // namespace tinytune
