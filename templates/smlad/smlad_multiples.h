// A step of the SMLAD loop whose loads are LDM: as many neighbours as registers are free.
//
// Where the inputs of a step follow one another as its weights do, both cursors only move on, and
// one instruction loads what several pairs of inputs meet. Few sums leave many registers: four
// sums, two channels by two pixels, take one load for four products, where eight take three for
// eight. LDM asks for ascending registers, which only code that has all of them for itself knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "templates/isa/thumb2_dsp.h"
#include "templates/smlad/smlad_weights.h"
#include "templates/tile/assembly.h"

namespace tinytune {

/// How a step is cut: groups of so many pairs, whose inputs are loaded at once; their words of
/// weights by chunks of what is left.
struct SmladMultiples {
  int group = 0, chunk = 0;
  bool end_on_stack = false;  ///< as SmladStep's, or there is none
  bool once = false;          ///< there is none
  int instructions = 0;       ///< besides products, of a step

  /// The fewest instructions; `group` is 0 where registers do not suffice. `first_free`: the number
  /// of the register behind the sums; `pairs`: of a step; `once`: no loop is around it.
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

  /// The products of `pairs` pairs. `weights` and `inputs` are cursors, `sums` the first sum, pixel
  /// by pixel; `gap_bytes` of inputs lie behind the step. As smlad_step() says of `once`.
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
