// The frame of Winograd kernels: the output in strips of squares side by side, and the patch of
// inputs under each.
//
// The last strip of a row and the last row of strips move back to fit, so nothing is stored
// partially. Where a convolution has borders, or pixels are to take more bytes than they do,
// patches are gathered into scratch, tap by tap, instead of keeping a padded copy of the whole
// input.
#pragma once

#include <cstdint>
#include <functional>

#include "schedules/workload.h"
#include "templates/ir_text.h"

namespace tinytune {

struct WinogradStrips {
  using Value = IrText::Value;

  int square, tiles;                  ///< outputs of a square's side, squares of a strip
  int64_t pixel_bytes;                ///< of the patch; behind the last channel is anything
  bool gathers;                       ///< else the patch is where the input is
  int rows, strips;                   ///< of squares; strips a row
  int64_t row_bytes;                  ///< from a row of the patch to the next
  int64_t patch_bytes, border_bytes;  ///< of scratch: a gathered patch, a pixel of the border

  /// Of an output of at least `square` rows and `square * tiles` columns.
  /// Its pixels take whole multiples of `unit` bytes.
  WinogradStrips(const Workload& workload, int square, int tiles, int unit);

  /// Writes the walk. `gathered` and `border_pixel` are where scratch has room for them; `strip`
  /// gets the first input of its patch and its first output.
  void walk(const Workload& workload, IrText& ir, const Value& gathered, const Value& border_pixel,
            const std::function<void(const Value& patch, const Value& output)>& strip) const;
};

}  // namespace tinytune
