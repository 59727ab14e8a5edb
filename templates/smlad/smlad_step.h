// One step of the SMLAD loop: which values it reads and what it computes from them.
//
// A step reads the inputs of a pair, then its words of weights, pair by pair, and multiplies every
// word with the inputs of all pixels. tile/load_scheduler.h decides when values are loaded and into
// which registers. The loop's end is on the stack if the register so freed saves more than that
// costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "templates/isa/thumb2_dsp.h"
#include "templates/smlad/smlad_multiples.h"
#include "templates/smlad/smlad_weights.h"
#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"
#include "templates/tile/registers.h"

namespace tinytune {

/// Where the inputs of a tile are, in bytes from the loop's cursor.
struct SmladInputs {
  int64_t pair_bytes;     ///< from a pair to the next within a step
  int64_t pixel_bytes;    ///< from a pixel to the next
  int64_t step_bytes;     ///< from a step to the next
  bool as_bytes = false;  ///< words of four inputs, widened in the loop; one pixel only
  bool multiple = false;  ///< LDM loads all that a step reads: smlad_multiples.h
};

struct SmladStep {
  static constexpr int kCursors = 2;

  /// Adds a step's products and advances the cursors. Operands: the cursors of weights and of
  /// inputs, the sums pixel by pixel, the end of the weights, temporaries.
  Assembly code;
  int temporaries = 0;
  /// The end is on top of the stack, and its register is clobbered as well.
  bool end_on_stack = false;
};

// Returns the registers, of which cursors, sums and, if it has a register, the end are taken.
inline Registers smlad_registers(const SmladTile& tile, bool end_on_stack) {
  Registers registers(Thumb2Dsp::kRegisters);
  registers.keep(SmladStep::kCursors + tile.channels * tile.pixels + (end_on_stack ? 0 : 1));
  return registers;
}

// Returns the temporaries for a pair's inputs (bytes are widened to two words) and a weight word.
inline int fewest_temporaries(const SmladTile& tile, const SmladInputs& inputs) {
  return (inputs.as_bytes ? 2 : tile.pixels) + 1;
}

/// Returns whether LDM can load all that a step reads: see smlad_multiples.h.
inline bool smlad_multiples_fit(const SmladTile& tile, const SmladInputs& inputs, int pairs) {
  const int64_t pair = int64_t{4} * tile.pixels;
  return !tile.is_joined() && tile.ahead == 0 && !inputs.as_bytes && inputs.pair_bytes == pair &&
         (tile.pixels == 1 || inputs.pixel_bytes == 4) && inputs.step_bytes >= pair * pairs &&
         SmladMultiples::best(tile, SmladStep::kCursors + tile.channels * tile.pixels, pairs)
                 .group > 0;
}

/// Returns whether registers suffice and load offsets reach. `pairs`: between tests of the loop.
inline bool smlad_step_fits(const SmladTile& tile, const SmladInputs& inputs, int pairs) {
  if (tile.form == WeightForm::kJoined && tile.channels % 2 != 0) return false;
  if (inputs.as_bytes && (tile.pixels > 1 || pairs % 2 != 0)) return false;
  // A step prefetches at least one line, and at most as many as can be in flight.
  const int64_t lines = tile.weight_bytes(pairs) / Thumb2Dsp::kLineBytes;
  if (tile.ahead > 0 && (lines < 1 || lines > Thumb2Dsp::kLinesComing)) return false;
  constexpr int64_t kReach = Thumb2Dsp::kReach;
  return smlad_registers(tile, true).suffice(fewest_temporaries(tile, inputs)) &&
         (pairs - 1) * inputs.pair_bytes + (tile.pixels - 1) * inputs.pixel_bytes <= kReach &&
         tile.ahead + tile.weight_bytes(pairs) <= kReach && inputs.step_bytes <= kReach;
}

/// Writes a step; the loop's end is in a register or on the stack.
class SmladStepWriter {
 public:
  SmladStepWriter(const SmladTile& tile, const SmladInputs& inputs, int pairs, LoadOrder loads,
                  bool end_on_stack, bool once)
      : tile_(tile),
        inputs_(inputs),
        pairs_(pairs),
        order_(loads),
        end_on_stack_(end_on_stack),
        once_(once),
        inputs_apart_(loads == LoadOrder::kGrouped && tile.pixels == 1 && tile.words() > 2),
        registers_(smlad_registers(tile, end_on_stack)),
        temporaries_(registers_.left()),
        loads_(Thumb2Dsp::kAddresses, loads, registers_, code_) {
    queue_reads();
    for (int pair = 0; pair < pairs_; ++pair) products(pair);
    loads_.finish();
    if (end_on_stack_ && !once)
      code_.emit("ldr {}, [sp]", sum(0, 0) + tile_.channels * tile_.pixels);
  }

  SmladStep result() const {
    return {code_, temporaries_ - (end_on_stack_ ? 1 : 0), end_on_stack_};
  }
  /// Returns the cycles on a core where the first load of a group costs one more; with paired
  /// loads, the instructions.
  int cycles() const {
    return code_.lines() + (order_ == LoadOrder::kGrouped ? loads_.groups() : 0);
  }

 private:
  static constexpr int kRegistersOfRaw = 2;  // that a word of inputs is widened to

  Reg sum(int pixel, int channel) const {
    return Reg{SmladStep::kCursors + pixel * tile_.channels + channel};
  }
  int word(int pair, int i) const { return words_[static_cast<size_t>(pair * tile_.words() + i)]; }

  // Prefetches the line `ahead` bytes after the pair's weights, if these begin a line.
  void ask_for_weights(int pair) {
    const int64_t line = Thumb2Dsp::kLineBytes, at = tile_.weight_bytes(pair);
    if (tile_.ahead == 0 || (pair > 0 && at / line == tile_.weight_bytes(pair - 1) / line)) return;
    code_.emit("pld [{}, #{}]", Reg{0}, loads_.from_cursor(at_weights_, tile_.ahead + at));
  }

  void queue_reads() {
    at_weights_ = loads_.add_stream(Reg{0}, tile_.weight_bytes(pairs_));
    at_inputs_ = loads_.add_stream(Reg{1}, inputs_.step_bytes);
    // If a pair has a single word of weights, the words of two pairs are loaded as a group. If it
    // has a single input, the inputs of two pairs are loaded by one instruction.
    const bool even = pairs_ % 2 == 0 && !inputs_.as_bytes;
    const bool words_by_twos = even && order_ != LoadOrder::kSpread && tile_.words() == 1 &&
                               temporaries_ >= tile_.pixels + 2;
    const bool inputs_by_twos = even && order_ == LoadOrder::kPaired && !words_by_twos &&
                                tile_.pixels == 1 && temporaries_ >= 4;
    const int group = words_by_twos || inputs_by_twos ? 2 : 1;
    for (int first = 0; first < pairs_; first += group) {
      if (words_by_twos) queue_words(first, group);
      for (int pair = first; pair < first + group; ++pair) queue_inputs(pair);
      if (!words_by_twos)
        for (int pair = first; pair < first + group; ++pair) queue_words(pair, 1);
    }
    loads_.close_queue();
  }

  void queue_inputs(int pair) {
    // The single input of a pair may be loaded alone, just before its products, and words of
    // weights before it. Their groups are then longer; a load from another memory is no part of
    // them anyway.
    const auto queue = [&](const LoadScheduler::Read& read) {
      read_inputs_.push_back(loads_.queue(read, inputs_apart_));
    };
    if (inputs_.as_bytes && pair % 2 == 0)
      queue({.stream = at_inputs_, .offset = int64_t{2} * pair, .registers = kRegistersOfRaw});
    for (int i = 0; i < tile_.pixels && !inputs_.as_bytes; ++i)
      queue({at_inputs_, pair * inputs_.pair_bytes + i * inputs_.pixel_bytes});
  }

  // Words of several pairs wait until there is room for one of each, to be loaded as a group.
  void queue_words(int first, int pairs) {
    for (int pair = first; pair < first + pairs; ++pair)
      for (int i = 0; i < tile_.words(); ++i)
        words_.push_back(loads_.queue({.stream = at_weights_,
                                       .offset = int64_t{4} * (pair * tile_.words() + i),
                                       .room = pair == first ? static_cast<size_t>(pairs) : 1}));
  }

  void products(int pair) {
    ask_for_weights(pair);
    const bool widens = inputs_.as_bytes && pair % 2 == 0;
    if (inputs_apart_ && (widens || !inputs_.as_bytes)) loads_.load_alone();
    if (inputs_apart_ && widens) widen(pair);
    // Two words at a time, so that products of one fill the waits of the other.
    const int together = order_ == LoadOrder::kSpread && tile_.pixels == 1 ? 2 : 1;
    for (int first = 0; first < tile_.words(); first += together) {
      const int count = std::min(together, tile_.words() - first);
      if (loads_.has_room() && !is_ready(pair, first + count - 1)) loads_.fill();
      if (!inputs_apart_ && widens && first == 0) widen(pair);
      // Words that registers do not suffice for are loaded and multiplied one by one.
      for (int i = first; i < first + count;) {
        int there = 0;
        while (i + there < first + count && is_ready(pair, i + there)) ++there;
        if (there == 0) loads_.fill(), there = 1;
        multiply(pair, i, there);
        i += there;
      }
    }
  }

  bool is_ready(int pair, int i) const {
    return loads_.is_loaded(word(pair, i)) &&
           (inputs_.as_bytes || loads_.is_loaded(read_inputs_[index(pair, tile_.pixels - 1)]));
  }
  size_t index(int pair, int pixel) const {
    return static_cast<size_t>(pair * tile_.pixels + pixel);
  }
  Reg input(int pair, int pixel) const {
    return inputs_.as_bytes ? widened_[pair % 2] : loads_.reg(read_inputs_[index(pair, pixel)]);
  }

  void widen(int pair) {
    const int raw = read_inputs_[static_cast<size_t>(pair / 2)];
    widened_[0] = registers_.take(), widened_[1] = loads_.reg(raw);
    code_.emit("sxtb16 {}, {}", widened_[0], widened_[1]);
    code_.emit("sxtb16 {0}, {0}, ror #8", widened_[1]);
    loads_.unpacked(raw);
  }

  // Multiplies all pixels with `count` loaded words of weights.
  void multiply(int pair, int first, int count) {
    const bool joined = tile_.form == WeightForm::kJoined;
    for (int i = first; joined && i < first + count; ++i) {
      for (int k = 0; k < tile_.pixels; ++k) add_product(pair, i, pixel(pair, k), 2 * i + 1);
      code_.emit("sxtb16 {0}, {0}", loads_.reg(word(pair, i)));
    }
    for (int i = first; i < first + count; ++i) {
      for (int k = 0; k < tile_.pixels; ++k) {
        if (k == tile_.pixels - 1) registers_.give_back(loads_.reg(word(pair, i)));
        if (i == tile_.words() - 1) registers_.give_back(input(pair, pixel(pair, k)));
        add_product(pair, i, pixel(pair, k), joined ? 2 * i : i);
      }
    }
  }

  // Returns the `k`-th pixel that multiplies a word. Without a loop, the other pixels' sums start
  // from those of the first pixel, so its own first products come last.
  int pixel(int pair, int k) const { return once_ && pair == 0 ? tile_.pixels - 1 - k : k; }

  void add_product(int pair, int i, int pixel, int channel) {
    code_.emit("smlad {}, {}, {}, {}", sum(pixel, channel), input(pair, pixel),
               loads_.reg(word(pair, i)), sum(once_ && pair == 0 ? 0 : pixel, channel));
    loads_.computed();
  }

  const SmladTile& tile_;
  const SmladInputs& inputs_;
  const int pairs_;
  const LoadOrder order_;
  const bool end_on_stack_, once_, inputs_apart_;
  Assembly code_;
  Registers registers_;
  const int temporaries_;
  LoadScheduler loads_;
  int at_weights_ = 0, at_inputs_ = 0;    // streams
  std::vector<int> read_inputs_, words_;  // values, by pair
  Reg widened_[2];                        // of the current two pairs
};

/// Writes a step; requires smlad_step_fits(). `once`: there is no loop around it, and no end; the
/// first pixel's sums hold the start values of all pixels.
inline SmladStep smlad_step(const SmladTile& tile, const SmladInputs& inputs, int pairs,
                            LoadOrder loads, bool once = false) {
  TT_CHECK(smlad_step_fits(tile, inputs, pairs), "requires smlad_step_fits()");
  if (inputs.multiple) {
    const Reg sums{SmladStep::kCursors};
    const auto cut =
        SmladMultiples::best(tile, SmladStep::kCursors + tile.channels * tile.pixels, pairs, once);
    const int64_t gap = inputs.step_bytes - inputs.pair_bytes * pairs;
    return {cut.code(tile, pairs, gap, Reg{0}, Reg{1}, sums), 0, cut.end_on_stack};
  }
  const SmladStepWriter on_stack(tile, inputs, pairs, loads, true, once);
  if (once || !smlad_registers(tile, false).suffice(fewest_temporaries(tile, inputs)))
    return on_stack.result();
  const SmladStepWriter in_register(tile, inputs, pairs, loads, false, false);
  // Push and pop, once per run of a few steps.
  constexpr int kEndOnStackCycles = 6, kEndOnStackInstructions = 2;
  // Loads beside products are free, and one more register lets each be further ahead.
  if (loads == LoadOrder::kSpread) return on_stack.result();
  const int price = loads == LoadOrder::kPaired ? kEndOnStackInstructions : kEndOnStackCycles;
  const bool pays = on_stack.cycles() + price < in_register.cycles();
  return pays ? on_stack.result() : in_register.result();
}

}  // namespace tinytune
