// The frame of Winograd kernels: the output in strips of squares side by side, and the patch of
// inputs under each.
//
// The last strip of a row and the last row of strips move back to fit, so nothing is stored
// partially. Where a convolution has borders, patches are gathered into scratch, tap by tap,
// instead of keeping a padded copy of the whole input.
#pragma once

#include <cstdint>
#include <functional>

#include "schedules/workload.h"
#include "templates/ir_text.h"

namespace tinytune {

struct WinogradStrips {
  using Value = IrText::Value;

  int square, tiles;   ///< outputs of a square's side, squares of a strip
  bool border;         ///< patches are gathered
  int rows, strips;    ///< of squares; strips a row
  int64_t row_bytes;   ///< from a row of the patch to the next
  int64_t patch_bytes, border_bytes;  ///< of scratch: a gathered patch, a pixel of the border

  /// Of an output of at least `square` rows and `square * tiles` columns.
  WinogradStrips(const Workload& workload, int square, int tiles);

  /// Writes the walk. `gathered` and `border_pixel` are where scratch has room for them; `strip`
  /// gets the first input of its patch and its first output.
  void walk(const Workload& workload, IrText& ir, const Value& gathered, const Value& border_pixel,
            const std::function<void(const Value& patch, const Value& output)>& strip) const;
};

}  // namespace tinytune
