// RELU and its kin as the clamp of the operator before.
//
// A one-byte function whose table is `clamp(x, low, high)`, as RELU's is where input and output
// share a scale, narrows the clamp that convolutions, sums, products and pools end with. Clamping
// twice is clamping to the intersection, except where the two ranges do not meet: then every value
// ends at the nearer end of the second.
#include <algorithm>

#include "codegen/passes/rewriting.h"

namespace tinytune {
namespace {

struct Clamp {
  int low = -128, high = 127;
};

// The clamp that a table of int8 values is, if it is one.
std::optional<Clamp> clamp_of(const LookupOp& op) {
  const auto value = [&](int x) {
    return static_cast<int>(static_cast<int8_t>(op.table[static_cast<uint8_t>(x)]));
  };
  const Clamp clamp{value(-128), value(127)};
  for (int x = -128; x <= 127; ++x)
    if (clamp.low > clamp.high || value(x) != std::clamp(x, clamp.low, clamp.high))
      return std::nullopt;
  return clamp;
}

void narrow(int& low, int& high, const Clamp& clamp) {
  low = std::clamp(low, clamp.low, clamp.high);
  high = std::clamp(high, clamp.low, clamp.high);
}

// Whether the operator ends in a clamp; then `clamp` is applied to it.
bool take_clamp(IntegerOp& form, const Clamp& clamp) {
  if (auto* kernel = std::get_if<KernelOp>(&form)) {
    narrow(kernel->workload.activation_min, kernel->workload.activation_max, clamp);
    return true;
  }
  return std::visit(
      [&](auto& op) {
        if constexpr (requires { op.activation_min; }) {
          narrow(op.activation_min, op.activation_max, clamp);
          return true;
        }
        return false;
      },
      form);
}

bool fuse_into_writer(IntegerNetwork& network, size_t step) {
  const auto* lookup = std::get_if<LookupOp>(&network.ops[step]);
  if (lookup == nullptr) return false;
  const Operator& op = network.graph.operators[step];
  const Graph& graph = network.graph;
  if (graph.tensor(op.inputs[0]).type != ElementType::kInt8 ||
      graph.tensor(op.outputs[0]).type != ElementType::kInt8)
    return false;
  const auto writer = writer_of(network, op.inputs[0]);
  if (!writer || only_reader_of(network, op.inputs[0]) != step) return false;
  const auto clamp = clamp_of(*lookup);
  if (!clamp || !take_clamp(network.ops[*writer], *clamp)) return false;
  Operator& before = network.graph.operators[*writer];
  before.outputs = op.outputs;
  absorb(network, step, before.index);
  return true;
}

}  // namespace

void fuse_activations(IntegerNetwork& network) {
  for (size_t step = 0; step < network.ops.size();)
    if (!fuse_into_writer(network, step)) ++step;
}

}  // namespace tinytune
