// Reads IF and WHILE: the operators of their subgraphs replace the call, between marks
// (models/control_flow.h).
//
// Values go in and out as TFLite Micro copies them (kernels/if.cc, kernels/while.cc): a WHILE
// carries its outputs, which the body's results overwrite at the end of each round. Inputs of an
// IF's branch are not copied if their type and shape agree: nothing there can write them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/control_flow.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/scan.h"

namespace tinytune {
namespace {

constexpr size_t kMostTensors = size_t{16} * kMostOperators;  // however often a subgraph is called
constexpr int kMostNested = 32;

Error error(ErrorCode code, const Operator& op, const std::string& why) {
  return Error(code, fmt::format("operator {} {}: {}", op.index, name_of(op.kind), why));
}
Error invalid(const Operator& op, const std::string& why) {
  return error(ErrorCode::kInvalidInput, op, why);
}
Error unsupported(const Operator& op, const std::string& why) {
  return error(ErrorCode::kUnsupported, op, why);
}

std::vector<int> values_of(const flatbuffers::Vector<int>* values) {
  return values == nullptr ? std::vector<int>() : std::vector<int>(values->begin(), values->end());
}

bool is_same_kind(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.shape == b.shape && a.quantization.scales == b.quantization.scales &&
         a.quantization.zero_points == b.quantization.zero_points;
}

}  // namespace

Status TfliteScan::read_if(Frame& frame, const schema::Operator& from, const Operator& op) {
  const auto* options = from.builtin_options_as_IfOptions();
  if (options == nullptr) return invalid(op, "its options are missing");
  TT_TRY_ASSIGN(std::vector<int> inputs, ids_of(frame, values_of(from.inputs()), "IF"));
  if (inputs.empty()) return invalid(op, "it has no condition");
  const int condition = inputs[0];
  inputs.erase(inputs.begin());
  TT_TRY_ASSIGN(const std::vector<int> results, results_of(frame, from, op));
  const auto finish = [&]() -> Status {
    TT_TRY(check_condition(op, condition));
    const Tensor& c = graph.tensor(condition);
    if (c.is_constant)
      return branch(
          frame, op,
          c.data[0] != 0 ? options->then_subgraph_index() : options->else_subgraph_index(), inputs,
          results);
    mark(OperatorKind::kIf, {condition});
    TT_TRY(branch(frame, op, options->then_subgraph_index(), inputs, results));
    mark(OperatorKind::kElse, {});
    TT_TRY(branch(frame, op, options->else_subgraph_index(), inputs, results));
    mark(OperatorKind::kEndIf, {});
    return ok_status();
  };
  const Status done = finish();
  for (const int id : results) ready_[static_cast<size_t>(id)] = true;
  return done ? done : note(done.error(), op.index, "IF");
}

Status TfliteScan::read_while(Frame& frame, const schema::Operator& from, const Operator& op) {
  const auto* options = from.builtin_options_as_WhileOptions();
  if (options == nullptr) return invalid(op, "its options are missing");
  TT_TRY_ASSIGN(const std::vector<int> inputs, ids_of(frame, values_of(from.inputs()), "WHILE"));
  TT_TRY_ASSIGN(const std::vector<int> results, results_of(frame, from, op));
  if (inputs.size() != results.size())
    return invalid(op, fmt::format("{} inputs, {} outputs", inputs.size(), results.size()));
  const auto finish = [&]() -> Status {
    std::vector<int> carried = results;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] < 0 || !ready_[static_cast<size_t>(inputs[i])])
        return invalid(op, fmt::format("t{} is read before it is computed", inputs[i]));
      if (is_resource(inputs[i])) {
        carried[i] = inputs[i];
        frame
            .ids[static_cast<size_t>(from.outputs()->Get(static_cast<flatbuffers::uoffset_t>(i)))] =
            inputs[i];
        continue;
      }
      TT_TRY(copy(inputs[i], results[i]));
    }
    mark(OperatorKind::kWhile, {});
    TT_TRY_ASSIGN(const std::vector<int> condition,
                  call(frame, op, options->cond_subgraph_index(), carried));
    if (condition.empty()) return invalid(op, "its condition has no output");
    TT_TRY(check_condition(op, condition[0]));
    if (graph.tensor(condition[0]).is_constant)
      return unsupported(op, "its condition is a constant");
    mark(OperatorKind::kDo, {condition[0]});
    TT_TRY_ASSIGN(const std::vector<int> computed,
                  call(frame, op, options->body_subgraph_index(), carried));
    TT_TRY(next_round(op, computed, carried));
    std::erase_if(carried, [&](int id) { return is_resource(id); });
    mark(OperatorKind::kEndWhile, carried);
    return ok_status();
  };
  const Status done = finish();
  for (const int id : results) ready_[static_cast<size_t>(id)] = true;
  return done ? done : note(done.error(), op.index, "WHILE");
}

Result<std::vector<int>> TfliteScan::results_of(const Frame& frame, const schema::Operator& from,
                                                const Operator& op) const {
  TT_TRY_ASSIGN(const std::vector<int> results,
                ids_of(frame, values_of(from.outputs()), std::string(name_of(op.kind))));
  std::set<int> known;
  for (const int id : results)
    if (id < 0 || ready_[static_cast<size_t>(id)] || !known.insert(id).second)
      return invalid(op, fmt::format("t{} is computed twice, constant or an input", id));
  return results;
}

Status TfliteScan::check_condition(const Operator& op, int condition) const {
  if (condition < 0 || !ready_[static_cast<size_t>(condition)])
    return invalid(op, fmt::format("t{} is read before it is computed", condition));
  const Tensor& c = graph.tensor(condition);
  if (c.type != ElementType::kBool || c.elements() != 1)
    return invalid(op, fmt::format("its condition t{} is not one bool", condition));
  return ok_status();
}

Result<std::vector<int>> TfliteScan::call(const Frame& caller, const Operator& op, int subgraph,
                                          const std::vector<int>& inputs) {
  if (subgraph < 1 || static_cast<flatbuffers::uoffset_t>(subgraph) >= model_.subgraphs()->size())
    return invalid(op, fmt::format("it has no subgraph {} to call", subgraph));
  int depth = 0;
  for (const Frame* frame = &caller; frame != nullptr; frame = frame->caller, ++depth)
    if (frame->subgraph == subgraph)
      return invalid(op, fmt::format("subgraph {} calls itself", subgraph));
  if (depth > kMostNested) return unsupported(op, fmt::format("more than {} nested", kMostNested));
  if (caller.initialises) return unsupported(op, "it stands in what a CALL_ONCE calls");
  const size_t first = graph.tensors.size();
  TT_TRY_ASSIGN(Frame called, open(subgraph));
  called.caller = &caller;
  if (graph.tensors.size() > kMostTensors)
    return invalid(op, fmt::format("its calls make more than {} tensors", kMostTensors));
  was_called_.resize(model_.subgraphs()->size());
  const bool has_state =
      std::any_of(graph.tensors.begin() + static_cast<std::ptrdiff_t>(first), graph.tensors.end(),
                  [](const Tensor& t) { return t.is_variable; });
  if (has_state && was_called_[static_cast<size_t>(subgraph)])
    return unsupported(op, fmt::format("subgraph {} keeps state and is called twice", subgraph));
  was_called_[static_cast<size_t>(subgraph)] = true;
  const std::vector<int> locals = values_of(called.from->inputs());
  if (locals.size() != inputs.size())
    return invalid(op, fmt::format("subgraph {} takes {} inputs, not {}", subgraph, locals.size(),
                                   inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const Status handed = hand_in(called, locals[i], inputs[i]); !handed)
      return handed.error().within(fmt::format("operator {} {}: input {} of subgraph {}", op.index,
                                               name_of(op.kind), i, subgraph));
  TT_TRY(read_operators(called));
  TT_TRY_ASSIGN(std::vector<int> outputs,
                ids_of(called, values_of(called.from->outputs()), std::string(name_of(op.kind))));
  for (const int id : outputs)
    if (id < 0 || !ready_[static_cast<size_t>(id)])
      return invalid(op, fmt::format("subgraph {} does not compute its outputs", subgraph));
  return outputs;
}

Status TfliteScan::hand_in(Frame& called, int local, int from) {
  TT_TRY_ASSIGN(const int to, id_of(called, local, "subgraph input"));
  const auto at = static_cast<size_t>(to);
  if (from < 0 || !ready_[static_cast<size_t>(from)] || ready_[at])
    return Error(ErrorCode::kInvalidInput, "it is constant, given twice or not computed");
  if (!is_resource(from) && !refused_[at].empty())
    return Error(ErrorCode::kUnsupported, refused_[at]);
  if (is_resource(from) || is_same_kind(graph.tensor(from), graph.tensor(to))) {
    called.ids[static_cast<size_t>(local)] = from;
    return ok_status();
  }
  ready_[at] = true;
  return copy(from, to);
}

Status TfliteScan::branch(const Frame& frame, const Operator& op, int subgraph,
                          const std::vector<int>& inputs, const std::vector<int>& results) {
  TT_TRY_ASSIGN(const std::vector<int> computed, call(frame, op, subgraph, inputs));
  if (computed.size() != results.size())
    return invalid(op, fmt::format("subgraph {} has {} outputs, not {}", subgraph, computed.size(),
                                   results.size()));
  for (size_t i = 0; i < results.size(); ++i) TT_TRY(copy(computed[i], results[i]));
  return ok_status();
}

// Saves a carried value that a round passes on under another index before it is overwritten.
Status TfliteScan::next_round(const Operator& op, std::vector<int> computed,
                              const std::vector<int>& carried) {
  if (computed.size() != carried.size())
    return invalid(op,
                   fmt::format("its body has {} outputs, not {}", computed.size(), carried.size()));
  for (size_t i = 0; i < carried.size(); ++i) {
    const bool moves = computed[i] != carried[i] &&
                       std::find(carried.begin(), carried.end(), computed[i]) != carried.end();
    if (!moves) continue;
    if (is_resource(computed[i])) return unsupported(op, "its body exchanges variables");
    Tensor aside = graph.tensor(computed[i]);
    TensorSummary row = summary.tensors[static_cast<size_t>(computed[i])];
    aside.data.clear();
    add_tensor(std::move(aside), std::move(row));
    const int id = static_cast<int>(graph.tensors.size()) - 1;
    TT_TRY(copy(computed[i], id));
    computed[i] = id;
  }
  for (size_t i = 0; i < carried.size(); ++i)
    if (computed[i] != carried[i]) TT_TRY(copy(computed[i], carried[i]));
  return ok_status();
}

Status TfliteScan::copy(int from, int to) {
  Operator op;
  op.index = static_cast<int>(summary.operators.size());
  op.kind = OperatorKind::kCopy;
  op.inputs = {from};
  op.outputs = {to};
  const std::string name(name_of(op.kind));
  list(op, name);
  if (refuse_tensors_of(op, name)) return ok_status();
  if (!ready_[static_cast<size_t>(to)]) {
    ready_[static_cast<size_t>(to)] = true;
    TT_TRY(count_activation(to));
  }
  return take(std::move(op), name);
}

void TfliteScan::mark(OperatorKind kind, std::vector<int> reads) {
  Operator op;
  op.index = static_cast<int>(summary.operators.size());
  op.kind = kind;
  op.inputs = std::move(reads);
  list(op, std::string(name_of(kind)));
  graph.operators.push_back(std::move(op));
}

}  // namespace tinytune
