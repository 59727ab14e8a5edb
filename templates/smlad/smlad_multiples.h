// A step of the SMLAD loop that loads by LDM: as many contiguous words as registers are free.
//
// If the inputs of a step are contiguous, as its weights are, both cursors only advance, and one
// instruction loads the words of several pairs of inputs. Few sums leave many registers: four sums,
// two channels by two pixels, take one load for four products, where eight take three for eight.
// LDM needs ascending registers, which only code that has all registers for itself can ensure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "templates/isa/thumb2_dsp.h"
#include "templates/smlad/smlad_weights.h"
#include "templates/tile/assembly.h"

namespace tinytune {

/// How a step is split: the inputs of `group` pairs are loaded at once, then their words of weights
/// in chunks that fit the remaining registers.
struct SmladMultiples {
  int group = 0, chunk = 0;
  bool end_on_stack = false;  ///< as in SmladStep; or there is no end
  bool once = false;          ///< no loop around the step, and no end
  int instructions = 0;       ///< instructions per step besides products

  /// Returns the split with the fewest instructions; `group` is 0 if registers do not suffice.
  /// `first_free`: the number of the register after the sums; `pairs`: per step.
  static SmladMultiples best(const SmladTile& tile, int first_free, int pairs, bool once = false) {
    SmladMultiples best;
    for (const bool on_stack : {false, true})
      for (int group = 1; group <= pairs; ++group) {
        const int left = Thumb2Dsp::kRegisters - first_free - (on_stack ? 0 : 1);
        const int chunk = std::min(left - group * tile.pixels, group * tile.words());
        if (pairs % group != 0 || chunk < 1) continue;
        const int loads = 1 + (group * tile.words() + chunk - 1) / chunk;
        const int instructions = pairs / group * loads + (on_stack && !once ? 1 : 0);
        if (best.group == 0 || instructions < best.instructions)
          best = {group, chunk, on_stack, once, instructions};
      }
    return best;
  }

  /// Writes the products of `pairs` pairs. `weights` and `inputs` are cursors, `sums` the first
  /// sum, pixel by pixel; `gap_bytes` of inputs follow the step. For `once` see smlad_step().
  Assembly code(const SmladTile& tile, int pairs, int64_t gap_bytes, Reg weights, Reg inputs,
                Reg sums) const {
    Assembly code;
    const Reg end = sums + tile.channels * tile.pixels;
    const Reg first_input = end + (end_on_stack ? 0 : 1);
    const Reg first_weight = first_input + group * tile.pixels;
    for (int pair = 0; pair < pairs; pair += group) {
      load(inputs, first_input, group * tile.pixels, code);
      const int words = group * tile.words();
      for (int from = 0; from < words; from += chunk) {
        const int count = std::min(chunk, words - from);
        load(weights, first_weight, count, code);
        for (int i = from; i < from + count; ++i)
          for (int k = 0; k < tile.pixels; ++k) {
            const int channel = i % tile.words(), of_group = i / tile.words();
            const bool starts = once && pair + of_group == 0;
            const int pixel = starts ? tile.pixels - 1 - k : k;
            code.emit("smlad {}, {}, {}, {}", sums + (pixel * tile.channels + channel),
                      first_input + (of_group * tile.pixels + pixel), first_weight + (i - from),
                      sums + ((starts ? 0 : pixel) * tile.channels + channel));
          }
      }
    }
    if (gap_bytes > 0 && !once) Thumb2Dsp(code).add(inputs, inputs, gap_bytes);
    if (end_on_stack && !once) code.emit("ldr {}, [sp]", end);
    return code;
  }

 private:
  static void load(Reg cursor, Reg first, int count, Assembly& code) {
    if (count == 1) return code.emit("ldr {}, [{}], #4", first, cursor);
    std::string list;
    for (int i = 0; i < count; ++i) list += fmt::format("{}{}", i ? ", " : "", first + i);
    code.emit("ldm {}!, {{{}}}", cursor, list);
  }
};

}  // namespace tinytune
