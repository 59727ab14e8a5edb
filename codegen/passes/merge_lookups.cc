// Chains of one-byte functions (QUANTIZE, RELU, LEAKY_RELU, LOGISTIC, TANH, HARD_SWISH) as one.
//
// All of them are tables of 256 bytes in their integer form, so the composition of two is exact by
// construction: table2[table1[x]]. What is the identity in the end (a QUANTIZE between equal
// scales, which converters leave behind) needs no table at all and becomes a RESHAPE.
#include "codegen/passes/rewriting.h"

namespace tinytune {
namespace {

bool is_identity(const LookupOp& op) {
  for (size_t i = 0; i < op.table.size(); ++i)
    if (op.table[i] != i) return false;
  return true;
}

// The second of two lookups takes the first one in; false where another reader needs the middle.
bool merge_into_reader(IntegerNetwork& network, size_t step) {
  const auto* first = std::get_if<LookupOp>(&network.ops[step]);
  if (first == nullptr) return false;
  const Operator& op = network.graph.operators[step];
  const auto reader = only_reader_of(network, op.outputs[0]);
  if (!reader) return false;
  auto* second = std::get_if<LookupOp>(&network.ops[*reader]);
  if (second == nullptr) return false;
  LookupOp merged = *second;
  for (size_t i = 0; i < merged.table.size(); ++i) merged.table[i] = second->table[first->table[i]];
  *second = merged;
  Operator& after = network.graph.operators[*reader];
  after.inputs = op.inputs;
  absorb(network, step, after.index);
  return true;
}

}  // namespace

void merge_lookups(IntegerNetwork& network) {
  for (size_t step = 0; step < network.ops.size();)
    if (!merge_into_reader(network, step)) ++step;
  for (IntegerOp& op : network.ops)
    if (const auto* lookup = std::get_if<LookupOp>(&op); lookup != nullptr && is_identity(*lookup))
      op = CopyOp{lookup->elements};
}

}  // namespace tinytune
