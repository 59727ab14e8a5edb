// A model with every operator in its integer form, in execution order.
//
// Import returns a Graph, the model as its author wrote it; this is the same network as it will
// run. Rewrites (codegen/passes) apply to it and not to the graph, because the accumulators,
// multipliers and clamps that make them exact exist only in the integer forms. Rewrites keep the
// model's ids, so that messages, reports and records refer to the network the user knows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/graph.h"
#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

/// An operator of the model that no longer has code of its own.
struct AbsorbedOperator {
  int index = 0;
  OperatorKind kind{};
  std::optional<int> into;  ///< index of the operator whose code computes it; none: no work left
};

struct IntegerNetwork {
  Graph graph;                 ///< the model's; a rewrite may drop operators and shrink tensors
  std::vector<IntegerOp> ops;  ///< of `graph.operators`, one by one
  std::vector<int64_t> model_macs;  ///< by index of the model's operators, before any rewrite
  std::vector<AbsorbedOperator> absorbed;
  /// By tensor id: whether its bytes differ from those of the model's tensor (channels removed).
  std::vector<bool> altered;
  bool may_run_in_strips = false;  ///< consecutive operators may be computed a few rows at a time
  bool may_reorder = false;        ///< operators may run in any order that their inputs allow
};

/// Prepares every operator. Absorbs those that import has computed or that only declare state;
/// rewrites nothing else and proves no WeightFacts. kUnsupported, kInvalidInput: as prepare().
Result<IntegerNetwork> integer_network(const Graph& graph);

/// Proves the WeightFacts of every kernel. Takes longest, so call it once the constants are final.
/// kUnsupported: half-to-even rounding for which no integer form is proved; names the operator.
Status prove_facts(IntegerNetwork& network);

/// The state kept between inferences: bytes by tensor id, empty for all but variables.
using NetworkState = std::vector<std::vector<uint8_t>>;

/// Returns the state after a reset: every variable has its initial data or else represents zero, as
/// in TFLite Micro.
NetworkState initial_state(const Graph& graph);
bool has_state(const Graph& graph);
/// Returns the byte that fills a variable of any type, as in TFLite Micro: the lowest byte of its
/// zero point, or 0.
uint8_t reset_byte(const Tensor& variable);

/// Runs one inference from `state` and stores the new state there. Otherwise as below; also returns
/// the errors of run_external().
Result<std::vector<std::vector<uint8_t>>> run_reference(
    const IntegerNetwork& network, std::span<const std::vector<uint8_t>> inputs,
    NetworkState& state);

/// Runs the network once after a reset. `inputs` in the model's order. Returns the bytes of every
/// tensor by id; constants and tensors that nothing computes are left empty. kInvalidInput: a wrong
/// number or size of inputs.
Result<std::vector<std::vector<uint8_t>>> run_reference(
    const IntegerNetwork& network, std::span<const std::vector<uint8_t>> inputs);

}  // namespace tinytune
