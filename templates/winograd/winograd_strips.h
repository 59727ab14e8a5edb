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
#include "templates/tile/ir_text.h"

namespace tinytune {

struct WinogradStrips {
  int square, tiles;                  ///< outputs of a square's side, squares of a strip
  int64_t pixel_bytes;                ///< of the patch; behind the last channel is anything
  bool gathers;                       ///< else the patch is where the input is
  int rows, strips;                   ///< of squares; strips a row
  int64_t row_bytes;                  ///< from a row of the patch to the next
  int64_t patch_bytes, border_bytes;  ///< of scratch: a gathered patch, a pixel of the border

  /// Of an output of at least `square` rows and `square * tiles` columns. A pixel of the patch
  /// takes whole multiples of `unit` bytes.
  WinogradStrips(const Workload& workload, int square, int tiles, int unit);
};

/// Whether Winograd's minimal filtering is for it at all: 3x3, stride 1, with an output of at least
/// a square of that side.
bool has_winograd_squares(const Workload& workload, int square);

/// Writes the loops over strips: over groups, and over the strips of a group.
class WinogradWalk {
 public:
  using Value = IrText::Value;

  /// `gathered` and `border_pixel` are where scratch has room for a patch and a pixel.
  WinogradWalk(const Workload& workload, const WinogradStrips& strips, IrText& ir,
               const Value& gathered, const Value& border_pixel)
      : w_(workload), strips_(strips), ir_(ir), gathered_(gathered), border_pixel_(border_pixel) {}

  /// Groups of `rows` whole rows of squares, a divisor of all; 0: of a single strip.
  struct Group {
    Value row, strip;  ///< the first
    int rows, strips;
  };
  void groups(int rows, const std::function<void(const Group&)>& body);

  /// A strip, by its first output.
  struct Strip {
    Value y, x;
  };
  void each(const Group& group, const std::function<void(const Value& index, const Strip&)>& body);

  /// The first input of its patch, which is gathered if it has to be.
  Value patch(const Strip& strip);
  Value output(const Strip& strip);

 private:
  Value pixel(const Value& y, const Value& x, int width, int channels);
  void gather(const Strip& strip);
  Value copy_pixel(const Value& from, const Value& to);

  const Workload& w_;
  const WinogradStrips& strips_;
  IrText& ir_;
  const Value gathered_, border_pixel_;
};

}  // namespace tinytune
