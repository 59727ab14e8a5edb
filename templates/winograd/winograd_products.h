// The products of a Winograd kernel: at each point of a patch, a small matrix product over the
// input channels, whose sums are words [point][channel][square].
//
// Weights are stored transformed, [point][term][channel]; or they are bytes, and the kernel
// transforms those of a block of channels into scratch before the products read them. Bytes take an
// eighth of the memory. They win where a line of flash takes longer to arrive than the 117
// instructions for a kernel of nine weights, and where tensors leave so little scratch that weights
// are read several times. Terms may come in stages, which keeps the transformed weights small; each
// stage adds to the sums of the stage before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "templates/tile/ir_text.h"
#include "templates/winograd/winograd_plan.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {

class WinogradProducts {
 public:
  WinogradProducts(const WinogradPlan& plan, IrText& ir) : plan_(plan), ir_(ir) {}

  /// Loads `count` words or, for inputs and weights without SMLAD, halves.
  Values load(size_t count, const Value& from, int64_t first, int64_t apart, bool words) {
    Values values;
    for (size_t i = 0; i < count; ++i) {
      const Value at = ir_.at(from, first + static_cast<int64_t>(i) * apart);
      values.push_back(words ? ir_.load_word(at) : ir_.load_half(at));
    }
    return values;
  }

  /// Transforms the weights of a stage of a block, which are bytes, to `target`. Returns the
  /// address of those of the next stage.
  Value stage(const Value& bytes, const Value& target) {
    const int64_t point = plan_.staged_bytes() / plan_.points;
    return ir_.advance(
        plan_.staged * plan_.oc, {bytes, target}, {kWinogradTaps, plan_.element_bytes()},
        [&](const Values& v) { transform_weights(v[0], v[1], point); },
        IrText::Cursors::kOpaque)[0];
  }

  /// Stores the sums of all points, or adds to them. Returns where their weights end.
  Value write(const Value& weights, const Value& inputs, const Value& sums, bool adds = false) {
    if (plan_.in_assembly()) {
      plan_.smlad_points().write(weights, inputs, sums, ir_);
      return ir_.at(weights, plan_.weight_bytes());
    }
    const int count = plan_.oc * plan_.tiles;
    const Value end = ir_.at(sums, int64_t{4} * plan_.points * count);
    return ir_.do_while({weights, inputs, sums}, [&](const Values& v) {
      Values state = {v[0], v[1]};
      for (int s = 0; s < count; ++s)
        state.push_back(adds ? ir_.load_word(ir_.at(v[2], 4 * s)) : Value(0));
      if (plan_.staged == plan_.step) {
        state = multiply(state);
      } else {
        const Value last = ir_.at(v[0], plan_.staged * plan_.oc * plan_.element_bytes());
        state = ir_.do_while(state, [&](const Values& k) {
          Values next = multiply(k);
          next.push_back(ir_.differs(next[0], last));
          return next;
        });
      }
      for (int s = 0; s < count; ++s)
        ir_.store_word(state[static_cast<size_t>(2 + s)], ir_.at(v[2], 4 * s));
      const Value next = ir_.at(v[2], 4 * count);
      return Values{state[0], ir_.at(v[1], plan_.point_bytes), next, ir_.differs(next, end)};
    })[0];
  }

 private:
  static constexpr size_t kSide = winograd_side(4);

  void transform_weights(const Value& taps, const Value& target, int64_t point) {
    std::array<Values, 3> columns;
    for (size_t x = 0; x < 3; ++x) {
      Values column;
      for (int y = 0; y < 3; ++y)
        column.push_back(ir_.load_byte(ir_.at(taps, 3 * y + static_cast<int>(x)), true));
      columns[x] = winograd4_plain_weights(ir_, column);
    }
    for (size_t y = 0; y < kSide; ++y) {
      const Values row =
          winograd4_plain_weights(ir_, {columns[0][y], columns[1][y], columns[2][y]});
      for (size_t x = 0; x < kSide; ++x)
        ir_.store_half(row[x], ir_.at(target, static_cast<int64_t>(kSide * y + x) * point));
    }
  }

  // Writes one step. Carries the cursors of weights and inputs, then sums[channel][square].
  Values multiply(const Values& k) {
    const int64_t element = plan_.element_bytes();
    const auto tiles = static_cast<size_t>(plan_.tiles), oc = static_cast<size_t>(plan_.oc);
    Values next = k;
    for (int u = 0; u < plan_.step; ++u) {
      const Values inputs = load(tiles, k[1], u * plan_.term_bytes, element, plan_.smlad);
      // Weights two by two where Arm's LDRD takes two words at once.
      const size_t together = plan_.smlad ? 2 : 1;
      for (size_t first = 0; first < oc; first += together) {
        const int64_t place = element * (u * plan_.oc + static_cast<int64_t>(first));
        const Values weights =
            load(std::min(together, oc - first), k[0], place, element, plan_.smlad);
        for (size_t c = 0; c < weights.size(); ++c)
          for (size_t i = 0; i < tiles; ++i) {
            Value& sum = next[2 + (first + c) * tiles + i];
            sum = plan_.smlad ? ir_.call("llvm.arm.smlad", {inputs[i], weights[c], sum})
                              : ir_.add(sum, ir_.mul(inputs[i], weights[c]));
          }
      }
    }
    next[0] = ir_.opaque(ir_.at(k[0], element * plan_.step * plan_.oc));
    next[1] = ir_.opaque(ir_.at(k[1], plan_.step * plan_.term_bytes));
    return next;
  }

  const WinogradPlan& plan_;
  IrText& ir_;
};

}  // namespace tinytune
