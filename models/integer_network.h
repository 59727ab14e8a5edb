// A model with every operator in its integer form: what is executed, in the order it is.
//
// Import gives a Graph, which is the model as its author wrote it; this is the same network as it
// will run. Rewrites (codegen/passes) happen here and not on the graph, because what makes them
// exact (accumulators, multipliers, clamps) exists only in the integer forms. Ids stay the model's
// throughout, so that messages, reports and records never speak of a network nobody has seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/graph.h"
#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

/// An operator of the model that no code of its own computes any more.
struct AbsorbedOperator {
  int index = 0;
  OperatorKind kind{};
  std::optional<int> into;  ///< the operator whose code does its work; nothing: no work is left
};

struct IntegerNetwork {
  Graph graph;                 ///< the model's; a rewrite may drop operators and shrink tensors
  std::vector<IntegerOp> ops;  ///< of `graph.operators`, one by one
  std::vector<int64_t> model_macs;  ///< by index of the model's operators, as the model has them
  std::vector<AbsorbedOperator> absorbed;
  /// By tensor id: its bytes are no longer those of the model's tensor (channels are left out).
  std::vector<bool> altered;
  bool may_run_in_strips = false;  ///< consecutive operators may be computed some rows at a time
  bool may_reorder = false;        ///< operators may run in any order that their inputs allow
};

/// Every operator prepared, nothing rewritten but that what import has computed is absorbed, no
/// WeightFacts proved. kUnsupported, kInvalidInput:
/// as prepare().
Result<IntegerNetwork> integer_network(const Graph& graph);

/// Proves the WeightFacts of every kernel: once the constants are final, since it takes longest.
/// kUnsupported: half-to-even rounding for which no integer form is proved; names the operator.
Status prove_facts(IntegerNetwork& network);

/// What a network keeps between inferences: bytes by tensor id, empty but for variables.
using NetworkState = std::vector<std::vector<uint8_t>>;

/// Of a network that has just been reset: every variable stands for zero, as in TFLite Micro.
NetworkState initial_state(const Graph& graph);
bool has_state(const Graph& graph);
/// What fills a variable of any type, as in TFLite Micro: its zero point's lowest byte, or 0.
uint8_t reset_byte(const Tensor& variable);

/// One inference, which goes on from `state` and leaves its own there. Otherwise as below; and what
/// run_external() says of a function of the user's.
Result<std::vector<std::vector<uint8_t>>> run_reference(
    const IntegerNetwork& network, std::span<const std::vector<uint8_t>> inputs,
    NetworkState& state);

/// Runs the network once after a reset. `inputs` in the model's order. Returns the bytes of every
/// tensor by id; constants and tensors that nothing computes are left empty. kInvalidInput: a wrong
/// number or size of inputs.
Result<std::vector<std::vector<uint8_t>>> run_reference(
    const IntegerNetwork& network, std::span<const std::vector<uint8_t>> inputs);

}  // namespace tinytune
