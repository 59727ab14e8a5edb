#include "models/integer_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/constant_operator.h"
#include "models/control_flow.h"
#include "models/external_operator.h"
#include "models/operator_kind.h"
#include "schedules/weight_facts.h"

namespace tinytune {
namespace {

// The state that it declares is in the graph's variables already.
bool only_declares_state(OperatorKind kind) {
  return kind == OperatorKind::kVarHandle || kind == OperatorKind::kCallOnce;
}

}  // namespace

Result<IntegerNetwork> integer_network(const Graph& graph) {
  IntegerNetwork network;
  network.graph = graph;
  network.graph.operators.clear();
  network.altered.assign(graph.tensors.size(), false);
  for (const Operator& op : graph.operators) {
    const auto index = static_cast<size_t>(op.index);
    network.model_macs.resize(std::max(network.model_macs.size(), index + 1));
    if (only_declares_state(op.kind)) {
      network.absorbed.push_back({op.index, op.kind, std::nullopt});
      continue;
    }
    if (reads_only_constants(graph, op)) {
      TT_TRY_ASSIGN(const ConstantOperator constant, prepare_on_constants(graph, op));
      network.model_macs[index] = macs_of(constant.form);
      if (graph.tensor(op.outputs.at(0)).is_constant) {  // import has computed it
        network.absorbed.push_back({op.index, op.kind, std::nullopt});
        continue;
      }
      network.ops.push_back(copy_of_constants(computed(constant)));
    } else {
      TT_TRY_ASSIGN(IntegerOp form, prepare(graph, op));
      network.model_macs[index] = macs_of(form);
      network.ops.push_back(std::move(form));
    }
    network.graph.operators.push_back(op);
  }
  return network;
}

Status prove_facts(IntegerNetwork& network) {
  for (size_t step = 0; step < network.ops.size(); ++step) {
    auto* kernel = std::get_if<KernelOp>(&network.ops[step]);
    if (kernel == nullptr) continue;
    Workload& w = kernel->workload;
    w.facts = prove_facts(w, kernel->data);
    if (w.rounding != Rounding::kTwice && w.facts.requantise == Requantise::kLong) {
      const Operator& op = network.graph.operators[step];
      return Error(ErrorCode::kUnsupported,
                   fmt::format("operator {} {}: no integer form gives its scaling; scales of 1/4 "
                               "and more, or sums beyond 2^31",
                               op.index, name_of(op.kind)));
    }
  }
  return ok_status();
}

bool has_state(const Graph& graph) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [](const Tensor& t) { return t.is_variable; });
}

uint8_t reset_byte(const Tensor& variable) {
  const std::vector<int32_t>& zero_points = variable.quantization.zero_points;
  return zero_points.empty() ? 0 : static_cast<uint8_t>(zero_points[0]);
}

NetworkState initial_state(const Graph& graph) {
  NetworkState state(graph.tensors.size());
  for (const Tensor& t : graph.tensors)
    if (t.is_variable && t.data.empty())
      state[static_cast<size_t>(t.id)].assign(static_cast<size_t>(t.bytes()), reset_byte(t));
    else if (t.is_variable)
      state[static_cast<size_t>(t.id)] = t.data;
  return state;
}

Result<std::vector<std::vector<uint8_t>>> run_reference(
    const IntegerNetwork& network, std::span<const std::vector<uint8_t>> inputs) {
  NetworkState state = initial_state(network.graph);
  return run_reference(network, inputs, state);
}

namespace {

constexpr int kMostRounds = 100'000;  // of all loops, in one inference

// Returns every input of an operator, constants included; empty if absent.
std::vector<std::span<const uint8_t>> operands_of(const Graph& graph, const Operator& op,
                                                  const std::vector<std::vector<uint8_t>>& values) {
  std::vector<std::span<const uint8_t>> operands(op.inputs.size());
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] < 0) continue;
    const Tensor& tensor = graph.tensor(op.inputs[i]);
    operands[i] = tensor.is_constant ? tensor.data : values[static_cast<size_t>(tensor.id)];
  }
  return operands;
}

}  // namespace

Result<std::vector<std::vector<uint8_t>>> run_reference(
    const IntegerNetwork& network, std::span<const std::vector<uint8_t>> inputs,
    NetworkState& state) {
  const Graph& graph = network.graph;
  if (inputs.size() != graph.inputs.size())
    return Error(ErrorCode::kInvalidInput, fmt::format("{} inputs given, the model has {}",
                                                       inputs.size(), graph.inputs.size()));
  std::vector<std::vector<uint8_t>> values = state;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs[i]);
    if (static_cast<int64_t>(inputs[i].size()) != tensor.bytes())
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("input {} is {} bytes, t{} holds {}", i, inputs[i].size(), tensor.id,
                               tensor.bytes()));
    values[static_cast<size_t>(tensor.id)] = inputs[i];
  }
  const ControlFlow flow(graph);
  int rounds = 0;
  bool holds = true;
  for (size_t step = 0; step < network.ops.size(); step = flow.next(step, holds)) {
    const Operator& op = graph.operators[step];
    if (is_mark(op.kind)) {
      const bool asks = op.kind == OperatorKind::kIf || op.kind == OperatorKind::kDo;
      if (asks) holds = values[static_cast<size_t>(op.inputs[0])].at(0) != 0;
      if (op.kind == OperatorKind::kEndWhile && ++rounds > kMostRounds)
        return Error(ErrorCode::kInvalidInput,
                     fmt::format("operator {} WHILE: more than {} rounds on these inputs", op.index,
                                 kMostRounds));
      continue;
    }
    std::vector<std::span<const uint8_t>> reads;
    std::vector<std::span<uint8_t>> writes;
    for (int id : op.inputs)
      if (id >= 0 && !graph.tensor(id).is_constant)
        reads.emplace_back(values[static_cast<size_t>(id)]);
    for (int id : op.outputs) {
      values[static_cast<size_t>(id)].resize(static_cast<size_t>(graph.tensor(id).bytes()));
      writes.emplace_back(values[static_cast<size_t>(id)]);
    }
    if (const auto* external = std::get_if<ExternalOp>(&network.ops[step])) {
      TT_TRY(run_external(function_of(graph, *external), *external, operands_of(graph, op, values),
                          writes));
      continue;
    }
    run_reference(network.ops[step], reads, writes);
  }
  for (const Tensor& t : graph.tensors)
    if (t.is_variable) state[static_cast<size_t>(t.id)] = values[static_cast<size_t>(t.id)];
  return values;
}

}  // namespace tinytune
