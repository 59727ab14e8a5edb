#include "templates/winograd/winograd_products.h"

#include <algorithm>

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

Value load(const WinogradProducts& p, const Value& at, IrText& ir) {
  return p.smlad ? ir.load_word(at) : ir.load_half(at);
}

// One step: the cursors of weights and inputs, then sums[channel][square].
Values multiply(const WinogradProducts& p, const Values& k, IrText& ir) {
  const int64_t element = p.element_bytes();
  Values next = k;
  for (int u = 0; u < p.step; ++u) {
    Values inputs;
    for (int i = 0; i < p.tiles; ++i)
      inputs.push_back(load(p, ir.at(k[1], u * p.term_bytes + element * i), ir));
    // Weights two by two where Arm's LDRD takes two words at once.
    const int together = p.smlad ? 2 : 1;
    for (int first = 0; first < p.oc; first += together) {
      const int end = std::min(first + together, p.oc);
      Values weights;
      for (int c = first; c < end; ++c)
        weights.push_back(load(p, ir.at(k[0], element * (u * p.oc + c)), ir));
      for (int c = first; c < end; ++c)
        for (int i = 0; i < p.tiles; ++i) {
          Value& sum = next[static_cast<size_t>(2 + c * p.tiles + i)];
          const Value& input = inputs[static_cast<size_t>(i)];
          const Value& weight = weights[static_cast<size_t>(c - first)];
          sum = p.smlad ? ir.call("llvm.arm.smlad", {input, weight, sum})
                        : ir.add(sum, ir.mul(input, weight));
        }
    }
  }
  next[0] = ir.opaque(ir.at(k[0], element * p.step * p.oc));
  next[1] = ir.opaque(ir.at(k[1], p.step * p.term_bytes));
  return next;
}

}  // namespace

Value WinogradProducts::write(const Value& weights, const Value& inputs, const Value& sums,
                              IrText& ir) const {
  const int count = oc * tiles;
  const Value end = ir.at(sums, int64_t{4} * points * count);
  return ir.do_while({weights, inputs, sums}, [&](const Values& v) {
    Values state = {v[0], v[1]};
    for (int s = 0; s < count; ++s) state.push_back(IrText::number(0));
    if (terms == step) {
      state = multiply(*this, state, ir);
    } else {
      const Value last = ir.at(v[0], terms * oc * element_bytes());
      state = ir.do_while(state, [&](const Values& k) {
        Values next = multiply(*this, k, ir);
        next.push_back(ir.differs(next[0], last));
        return next;
      });
    }
    for (int s = 0; s < count; ++s)
      ir.store_word(state[static_cast<size_t>(2 + s)], ir.at(v[2], 4 * s));
    const Value next = ir.at(v[2], 4 * count);
    return Values{state[0], ir.at(v[1], point_bytes), next, ir.differs(next, end)};
  })[0];
}

}  // namespace tinytune
