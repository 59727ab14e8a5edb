// The inner loop of lane-packed kernels: multiplies words that hold several values by bytes, and
// adds the products to a tile of sums. Convolutions have inputs in words and weights in bytes;
// dense layers the reverse.
//
// In assembly, all its values are in registers, whatever must be spilled around it;
// isa/product_isa.h has the differences between instruction sets. As IR, LLVM orders it, and spills
// large tiles.
#pragma once

#include <string>
#include <vector>

#include "templates/isa/product_isa.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

inline constexpr int kLaneCursors = 2;  ///< cursors of weights and of inputs; the sums follow

enum class LaneLoop { kLlvm, kRv32, kThumb1, kThumb2 };

/// Returns the instruction set of the assembly. LLVM's loop has RV32's limits.
inline const ProductIsa& isa_of(LaneLoop loop) {
  return loop == LaneLoop::kThumb1   ? thumb1_products()
         : loop == LaneLoop::kThumb2 ? thumb2_products()
                                     : rv32_products();
}

// Says which values of a product are kept, and where each is, in bytes from its cursor.
struct LaneRoles {
  const LaneTile& tile;
  bool keeps_words;

  int kept() const { return keeps_words ? tile.words : tile.channels; }
  int passing() const { return keeps_words ? tile.channels : tile.words; }
  int64_t offset(bool of_word, int u, int i) const {
    return of_word ? 4 * (int64_t{u} * tile.words + i) : int64_t{u} * tile.channels + i;
  }
  int sum(int kept, int passing) const {
    return keeps_words ? passing * tile.words + kept : kept * tile.words + passing;
  }
  int sum_by_word(int kept, int passing) const {
    return keeps_words ? kept * tile.channels + passing : passing * tile.channels + kept;
  }
};

/// Which values multiply_lanes() keeps, and the order of its sums: [word][byte] if `sums_by_word`,
/// else [byte][word].
struct LaneOrder {
  bool keeps_words, weights_in_words, sums_by_word;
};
/// Writes the products of every word of a tile with every byte, for `terms` terms, in IR. Carries
/// the cursors of weights and of inputs, then the sums.
inline Values multiply_lanes(const LaneTile& tile, const LaneOrder& order, int terms,
                             const Values& carried, IrText& ir) {
  const bool keeps_words = order.keeps_words;
  const LaneRoles roles{tile, keeps_words};
  const auto load = [&](bool word, int u, int i) {
    const Value& cursor = carried[word == order.weights_in_words ? 0 : 1];
    const Value at = ir.at(cursor, roles.offset(word, u, i));
    return word ? ir.load_word(at) : ir.load_byte(at, true);
  };
  Values next = carried;
  for (int u = 0; u < terms; ++u) {
    Values kept;
    for (int i = 0; i < roles.kept(); ++i) kept.push_back(load(keeps_words, u, i));
    for (int j = 0; j < roles.passing(); ++j) {
      const Value passing = load(!keeps_words, u, j);
      for (int i = 0; i < roles.kept(); ++i) {
        const int at = order.sums_by_word ? roles.sum_by_word(i, j) : roles.sum(i, j);
        Value& sum = next[static_cast<size_t>(kLaneCursors + at)];
        sum = ir.add(sum, ir.mul(kept[static_cast<size_t>(i)], passing));
      }
    }
  }
  next[0] = ir.at(carried[0], roles.offset(order.weights_in_words, terms, 0));
  next[1] = ir.at(carried[1], roles.offset(!order.weights_in_words, terms, 0));
  return next;
}

// Writes the loop in any instruction set. `enters_behind_first`: the label "2:" follows the first
// product of a step.
inline Assembly lane_loop(const LaneTile& tile, const ProductIsa& isa,
                          const ProductIsa::Operands& operands, bool enters_behind_first = false) {
  const LaneRoles roles{tile, isa.keeps_words(tile)};
  Assembly code;
  isa.enter(tile, operands, code);
  code.emit("1:");
  Registers registers = operands.passing;
  const AddressModes& addresses = roles.keeps_words ? isa.traits().bytes : isa.traits().words;
  LoadScheduler loads(addresses, isa.traits().order, registers, code);
  const Registers all_free = registers;
  const int stream = loads.add_stream(roles.keeps_words ? operands.weights : operands.inputs,
                                      roles.keeps_words ? tile.weight_bytes() : tile.word_bytes(),
                                      addresses.word_post != nullptr);
  for (int u = 0; u < tile.step; ++u) {
    isa.load_kept(tile, operands, roles.offset(roles.keeps_words, u, 0), code);
    registers = all_free;
    std::vector<int> passing;
    for (int j = 0; j < roles.passing(); ++j)
      passing.push_back(loads.queue({stream, roles.offset(!roles.keeps_words, u, j)}));
    for (int j = 0; j < roles.passing(); ++j) {
      const int value = passing[static_cast<size_t>(j)];
      loads.want(value);
      registers.give_back(loads.reg(value));
      for (int i = 0; i < roles.kept(); ++i)
        isa.multiply_add(operands.sums + roles.sum(i, j), operands.kept + i, loads.reg(value),
                         operands.scratch, j + 1 == roles.passing(), i + 1 == roles.kept(), code);
    }
    if (u == 0 && enters_behind_first) code.emit("2:");
  }
  isa.repeat(tile, operands, code);
  return code;
}

/// Multiplies the weights from `weights` to `weights_end` ([product][channel]) by the words from
/// `inputs` on ([product][word]), and returns `sums` ([channel][word]) plus the products. If the
/// instruction set wants start values staged, these precede the words and `sums` is ignored.
inline Values add_lane_products(const LaneTile& tile, LaneLoop loop, const Value& weights,
                                const Value& weights_end, const Value& inputs, const Values& sums,
                                IrText& ir) {
  Values carried = {weights, inputs};
  carried.insert(carried.end(), sums.begin(), sums.end());
  if (loop == LaneLoop::kLlvm) {
    carried = ir.do_while(carried, [&](const Values& v) {
      Values next =
          multiply_lanes(tile, {.keeps_words = isa_of(loop).keeps_words(tile)}, tile.step, v, ir);
      next.push_back(ir.differs(next[0], weights_end));
      return next;
    });
    return Values(carried.begin() + kLaneCursors, carried.end());
  }
  const ProductIsa& isa = isa_of(loop);
  const auto operands = isa.assign(tile);
  const std::string text = lane_loop(tile, isa, operands).text();
  if (isa.traits().sums_start_staged) {
    std::vector<int> results;
    for (int i = 0; i < tile.channels * tile.words; ++i)
      results.push_back(operands.sums.number + i);
    return ir.assembly_of_all_registers(text, {weights, inputs, weights_end}, results);
  }
  const auto end_of_sums = static_cast<std::ptrdiff_t>(carried.size());
  Values read = {weights_end};
  if (operands.end_waits) carried.push_back(weights_end), read.clear();
  const int temporaries = operands.last + 1 - static_cast<int>(carried.size());
  carried = ir.assembly(text, carried, read, temporaries);
  return Values(carried.begin() + kLaneCursors, carried.begin() + end_of_sums);
}

}  // namespace tinytune
