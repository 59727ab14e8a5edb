// Copies and fills of arrays by RVV, eight registers at a time, for kernels that stage inputs.
#pragma once

#include <cstdint>

#include "templates/isa/rvv.h"
#include "templates/tile/ir_text.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {

inline void copy_by_vectors(const RvvLanes& lanes, IrText& ir, const Value& from, const Value& to,
                            int64_t bytes) {
  Assembly code;
  Rvv(lanes, code).copy(Reg{0}, Reg{1}, bytes, Reg{2});
  ir.assembly(code.text(), {from, to}, {}, 1);
}

inline ArrayCode arrays_by_vectors(const RvvLanes& lanes) {
  const auto copy = [lanes](IrText& ir, const Value& from, const Value& to, int64_t bytes) {
    copy_by_vectors(lanes, ir, from, to, bytes);
  };
  // `word` is one byte four times, as zero points are.
  const auto fill = [lanes](IrText& ir, const Value& target, int64_t words, uint32_t word) {
    Assembly code;
    Rvv(lanes, code).fill(Reg{0}, 4 * words, static_cast<int8_t>(word), Reg{1}, Reg{2});
    ir.assembly(code.text(), {target}, {}, 2);
  };
  return {copy, fill};
}

/// Stages a pixel's window in reduction order, a whole run at a time.
inline void stage_by_vectors(const RvvLanes& lanes, PixelTiles& tiles,
                             const PixelTiles::Pixel& pixel, const Value& target) {
  const auto whole = [](int64_t run) { return static_cast<int>(run); };
  tiles.for_each_run({pixel}, target, whole, 1, [&](const Values& at, int run) {
    copy_by_vectors(lanes, tiles.ir(), at[0], at[1], run);
  });
}

}  // namespace tinytune
