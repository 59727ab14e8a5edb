// Merges chains of one-byte functions (QUANTIZE, RELU, LEAKY_RELU, LOGISTIC, TANH, HARD_SWISH).
//
// All of them are tables of 256 bytes in their integer form, so the composition of two is exact by
// construction: table2[table1[x]]. A table of the sum of two bytes and a softmax of plain integers
// likewise absorb the function behind them, and a product those in front of its operands. A product
// of two functions of the same byte (SiLU as exporters write it: x * LOGISTIC(x)) is one function
// again. An identity (a QUANTIZE between equal scales, which converters leave behind) needs no
// table and becomes a RESHAPE.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "codegen/passes/rewriting.h"
#include "models/reference/reference.h"

namespace tinytune {
namespace {

bool is_identity(const LookupOp& op) {
  for (size_t i = 0; i < op.table.size(); ++i)
    if (op.table[i] != i) return false;
  return true;
}

// Composes two tables: table2[table1[x]]. An empty second one is the identity.
std::vector<uint8_t> composed(std::span<const uint8_t> first, std::span<const uint8_t> second) {
  std::vector<uint8_t> both(first.begin(), first.end());
  for (uint8_t& value : both) value = second.empty() ? value : second[value];
  return both;
}

int8_t looked_up(const LookupOp& lookup, int64_t stored) {
  return static_cast<int8_t>(lookup.table[static_cast<uint8_t>(stored)]);
}

void give_looked_up(const LookupOp& lookup, SumTableOp& sums) {
  for (int8_t& value : sums.table) value = looked_up(lookup, value);
}

constexpr int kShares = 256;

// Whether all results are below kShares: a result is the scale's share by a sum of terms, which has
// at least the largest element's term.
bool has_few_shares(const PlainSoftmaxOp& softmax) {
  return (softmax.shifts.empty() ? softmax.scale : softmax.scale / softmax.terms[0]) < kShares;
}

void give_looked_up(const LookupOp& lookup, PlainSoftmaxOp& softmax) {
  for (int share = 0; share < kShares; ++share)
    softmax.results.push_back(looked_up(lookup, share + softmax.output_offset));
}

// Merges a lookup into the operator before it, if that has a table of its results.
void merge_reader_into(Rewriting& network, size_t step) {
  auto* sums = std::get_if<SumTableOp>(&network.form(step));
  auto* softmax = std::get_if<PlainSoftmaxOp>(&network.form(step));
  if (sums == nullptr && (softmax == nullptr || !has_few_shares(*softmax))) return;
  const auto reader = network.only_reader_of(network.op(step).outputs[0]);
  if (!reader) return;
  const auto* lookup = std::get_if<LookupOp>(&network.form(*reader));
  if (lookup == nullptr) return;
  sums != nullptr ? give_looked_up(*lookup, *sums) : give_looked_up(*lookup, *softmax);
  const std::vector<int> outputs = network.op(*reader).outputs;
  network.absorb(*reader, network.op(step).index);
  network.set_outputs(step, outputs);
}

// Makes a product look up its operands itself, unless one is broadcast and so looked up often.
void merge_into_product(Rewriting& network, const LookupOp& lookup, size_t step, size_t reader) {
  auto* product = std::get_if<MulOp>(&network.form(reader));
  if (product == nullptr || !product->broadcast.equal_shapes) return;
  std::vector<int> inputs = network.op(reader).inputs;
  for (size_t i = 0; i < 2; ++i) {
    if (inputs[i] != network.op(step).outputs[0]) continue;
    product->lookups[i] = composed(lookup.table, product->lookups[i]);
    inputs[i] = network.op(step).inputs[0];
  }
  network.set_inputs(reader, inputs);
  network.absorb(step, network.op(reader).index);
}

// Replaces a product of a tensor with itself by a table, which the reference computes.
void make_lookup_of_product(Rewriting& network, size_t step) {
  const auto* product = std::get_if<MulOp>(&network.form(step));
  const std::vector<int>& inputs = network.op(step).inputs;
  if (product == nullptr || !product->broadcast.equal_shapes || inputs[0] != inputs[1] ||
      !product->constants[0].empty() || !product->constants[1].empty())
    return;
  MulOp of_bytes = *product;
  LookupOp lookup{product->elements, {}};
  of_bytes.elements = static_cast<int64_t>(lookup.table.size());
  of_bytes.broadcast = {};
  of_bytes.broadcast.extents.back() = static_cast<int>(lookup.table.size());
  for (auto& steps : of_bytes.broadcast.steps) steps.back() = 1;
  std::vector<uint8_t> bytes(lookup.table.size());
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const std::span<const uint8_t> operands[] = {bytes, bytes};
  const std::span<uint8_t> results[] = {lookup.table};
  reference::run(of_bytes, {operands, results});
  const int input = inputs[0];
  network.form(step) = lookup;
  network.set_inputs(step, {input});
}

// Merges a lookup into the lookup or product behind it, unless its result has another reader.
void merge_into_reader(Rewriting& network, size_t step) {
  const auto* first = std::get_if<LookupOp>(&network.form(step));
  if (first == nullptr) return;
  const Operator& op = network.op(step);
  const auto reader = network.only_reader_of(op.outputs[0]);
  if (!reader) return;
  auto* second = std::get_if<LookupOp>(&network.form(*reader));
  if (second == nullptr) return merge_into_product(network, *first, step, *reader);
  std::ranges::copy(composed(first->table, second->table), second->table.begin());
  network.set_inputs(*reader, op.inputs);
  network.absorb(step, network.op(*reader).index);
}

}  // namespace

void merge_lookups(IntegerNetwork& network) {
  {
    Rewriting rewriting(network);
    for (size_t step = 0; step < rewriting.steps(); ++step) {
      make_lookup_of_product(rewriting, step);
      merge_into_reader(rewriting, step);
    }
    for (size_t step = 0; step < rewriting.steps(); ++step) merge_reader_into(rewriting, step);
  }
  for (IntegerOp& op : network.ops)
    if (const auto* lookup = std::get_if<LookupOp>(&op); lookup != nullptr && is_identity(*lookup))
      op = CopyOp{lookup->elements};
}

}  // namespace tinytune
