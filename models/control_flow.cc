#include "models/control_flow.h"

#include <algorithm>

#include "base/check.h"

namespace tinytune {

bool is_mark(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kIf:
    case OperatorKind::kElse:
    case OperatorKind::kEndIf:
    case OperatorKind::kWhile:
    case OperatorKind::kDo:
    case OperatorKind::kEndWhile:
      return true;
    default:
      return false;
  }
}

bool has_control_flow(const Graph& graph) {
  return std::any_of(graph.operators.begin(), graph.operators.end(),
                     [](const Operator& op) { return is_mark(op.kind); });
}

ControlFlow::ControlFlow(const Graph& graph) : graph_(graph), target_(graph.operators.size()) {
  std::vector<size_t> open;  // IF or ELSE, WHILE, DO
  for (size_t step = 0; step < target_.size(); ++step) {
    const OperatorKind kind = graph.operators[step].kind;
    if (!is_mark(kind)) continue;
    const bool begins = kind == OperatorKind::kIf || kind == OperatorKind::kWhile;
    TT_CHECK(begins || !open.empty(), "marks of control flow match");
    if (kind == OperatorKind::kElse || kind == OperatorKind::kEndIf) {
      target_[open.back()] = step + 1;
      open.pop_back();
    }
    if (kind == OperatorKind::kEndWhile) {
      TT_CHECK(open.size() > 1, "a DO in its WHILE");
      target_[open.back()] = step + 1;
      open.pop_back();
      target_[step] = open.back() + 1;  // where the condition is computed
      open.pop_back();
    }
    if (kind != OperatorKind::kEndIf && kind != OperatorKind::kEndWhile) open.push_back(step);
  }
  TT_CHECK(open.empty(), "marks of control flow match");
}

size_t ControlFlow::next(size_t step, bool holds) const {
  switch (graph_.operators[step].kind) {
    case OperatorKind::kIf:
    case OperatorKind::kDo:
      return holds ? step + 1 : target_[step];
    case OperatorKind::kElse:  // reached at the end of the branch taken
    case OperatorKind::kEndWhile:
      return target_[step];
    default:
      return step + 1;
  }
}

}  // namespace tinytune
