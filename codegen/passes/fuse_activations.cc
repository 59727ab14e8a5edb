// Fuses RELU and similar functions into the clamp of the operator before.
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

// Returns the clamp that a table of int8 values equals, if any.
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

// Applies `clamp` to the clamp that the operator ends in. Returns whether there is one.
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

void fuse_into_writer(Rewriting& network, size_t step) {
  const auto* lookup = std::get_if<LookupOp>(&network.form(step));
  if (lookup == nullptr) return;
  const Operator& op = network.op(step);
  const Graph& graph = network.graph();
  if (graph.tensor(op.inputs[0]).type != ElementType::kInt8 ||
      graph.tensor(op.outputs[0]).type != ElementType::kInt8)
    return;
  const auto writer = network.writer_of(op.inputs[0]);
  if (!writer || network.only_reader_of(op.inputs[0]) != step) return;
  const auto clamp = clamp_of(*lookup);
  if (!clamp || !take_clamp(network.form(*writer), *clamp)) return;
  network.set_outputs(*writer, op.outputs);
  network.absorb(step, network.op(*writer).index);
}

}  // namespace

void fuse_activations(IntegerNetwork& network) {
  Rewriting rewriting(network);
  for (size_t step = 0; step < rewriting.steps(); ++step) fuse_into_writer(rewriting, step);
}

}  // namespace tinytune
