// The outer loops of Winograd kernels: the output in strips of neighbouring squares, and the patch
// of inputs under each strip.
//
// The last strip of a row and the last row of strips move back to fit, so nothing is stored
// partially. If a convolution has borders, or pixels must be padded to more bytes, patches are
// gathered into scratch, pixel by pixel, instead of keeping a padded copy of the whole input.
#pragma once

#include <cstdint>
#include <functional>

#include "schedules/workload.h"
#include "templates/input_window.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {

struct WinogradStrips {
  int square, tiles;    ///< outputs per side of a square, squares per strip
  int64_t pixel_bytes;  ///< bytes per pixel of the patch; undefined after the last channel
  bool gathers;         ///< else the patch is read in place
  int rows, strips;     ///< rows of squares; strips per row
  int64_t row_bytes;    ///< stride per row of the patch
  int64_t patch_bytes, border_bytes;  ///< scratch: a gathered patch, a pixel of the border

  /// Requires an output of at least `square` rows and `square * tiles` columns. A pixel of the
  /// patch takes a multiple of `unit` bytes.
  WinogradStrips(const Workload& w, int square_, int tiles_, int unit)
      : square(square_),
        tiles(tiles_),
        pixel_bytes(int64_t{times(w.in_c, unit)} * unit),
        gathers(needs_border(w) || pixel_bytes != w.in_c),
        rows(times(w.out_h, square)),
        strips(times(w.out_w, square * tiles)),
        row_bytes((gathers ? square * tiles + 2 : w.in_w) * pixel_bytes),
        patch_bytes(gathers ? whole_words((square + 2) * row_bytes) : 0),
        border_bytes(needs_border(w) ? whole_words(w.in_c) : 0) {}

 private:
  static int64_t whole_words(int64_t bytes) { return (bytes + 3) / 4 * 4; }
  static int times(int n, int part) { return (n + part - 1) / part; }
};

/// Returns whether Winograd's minimal filtering applies to the layer: 3x3, stride 1, with an output
/// of at least one square of that side.
inline bool has_winograd_squares(const Workload& w, int square) {
  return tiles_fit(w) && w.op == OpKind::kConv2d && w.kernel_h == 3 && w.kernel_w == 3 &&
         w.stride_h == 1 && w.stride_w == 1 && w.dilation_h == 1 && w.dilation_w == 1 &&
         w.out_h >= square && w.out_w >= square;
}

/// Writes the loops over strips: over groups, and over the strips of a group.
class WinogradWalk {
 public:
  /// `gathered` and `border_pixel`: scratch for a patch and for a pixel.
  WinogradWalk(const Workload& workload, const WinogradStrips& strips, IrText& ir,
               const Value& gathered, const Value& border_pixel)
      : w_(workload), strips_(strips), ir_(ir), gathered_(gathered), border_pixel_(border_pixel) {}

  /// A group of `rows` whole rows of squares, a divisor of all rows; 0: a single strip.
  struct Group {
    Value row, strip;  ///< the first
    int rows, strips;
  };
  void groups(int rows, const std::function<void(const Group&)>& body) {
    if (strips_.border_bytes > 0)
      ir_.fill(border_pixel_, strips_.border_bytes / 4,
               0x01010101u * static_cast<uint8_t>(w_.input_zero_point));
    if (rows > 0) {
      ir_.count_to(strips_.rows / rows, [&](const Value& i) {
        body({ir_.mul(i, rows), 0, rows, strips_.strips});
      });
      return;
    }
    ir_.count_to(strips_.rows, [&](const Value& row) {
      ir_.count_to(strips_.strips, [&](const Value& strip) { body({row, strip, 1, 1}); });
    });
  }

  /// A strip, by its first output.
  struct Strip {
    Value y, x;
  };
  void each(const Group& group, const std::function<void(const Value& index, const Strip&)>& body) {
    const int height = strips_.square, width = height * strips_.tiles;
    const auto row_of = [&](const Value& row) { return ir_.tile_start(row, height, w_.out_h); };
    const auto column_of = [&](const Value& s) { return ir_.tile_start(s, width, w_.out_w); };
    if (group.rows * group.strips == 1) return body(0, {row_of(group.row), column_of(group.strip)});
    ir_.count_to(group.rows, [&](const Value& r) {
      const Value y = row_of(ir_.add(group.row, r)), first = ir_.mul(r, group.strips);
      ir_.count_to(group.strips, [&](const Value& s) {
        body(ir_.add(first, s), {y, column_of(s)});
      });
    });
  }

  /// Returns the address of a strip's patch, which it gathers if necessary.
  Value patch(const Strip& strip) {
    if (!strips_.gathers)
      return ir_.at(argument("input"), pixel(strip.y, strip.x, w_.in_w, w_.in_c));
    gather(strip);
    return gathered_;
  }
  Value output(const Strip& strip) {
    return ir_.at(argument("output"), pixel(strip.y, strip.x, w_.out_w, w_.out_c));
  }

 private:
  Value pixel(const Value& y, const Value& x, int width, int channels) {
    return ir_.mul(ir_.add(ir_.mul(y, width), x), channels);
  }

  void gather(const Strip& strip) {
    const Value top = ir_.sub(strip.y, w_.pad_top), left = ir_.sub(strip.x, w_.pad_left);
    ir_.count_to(strips_.square + 2, gathered_, [&](const Value& row, const Value& i) {
      const Value input_y = ir_.add(top, i);
      const Value row_inside = ir_.below(input_y, w_.in_h);
      const Value end = ir_.at(row, strips_.row_bytes);
      return ir_.do_while({row, left}, [&](const Values& v) {
        const Value inside = ir_.bit_and(row_inside, ir_.below(v[1], w_.in_w));
        const Value offset = pixel(input_y, v[1], w_.in_w, w_.in_c);
        const Value at = ir_.at(argument("input"), offset);
        const Value from = strips_.border_bytes > 0 ? ir_.select(inside, at, border_pixel_) : at;
        const Value to = ir_.at(copy_pixel(from, v[0]), strips_.pixel_bytes - w_.in_c);
        return Values{to, ir_.add(v[1], 1), ir_.differs(to, end)};
      })[0];
    });
  }

  // Returns the end of the copy.
  Value copy_pixel(const Value& from, const Value& to) {
    const int unit = w_.in_c % 4 == 0 ? 4 : 1, units = w_.in_c / unit;
    const int unroll = units % 4 == 0 ? 4 : units % 2 == 0 ? 2 : 1;
    const Value end = ir_.at(to, w_.in_c);
    return ir_.do_while({from, to}, [&](const Values& v) {
      for (int u = 0; u < unroll; ++u) {
        const Value source = ir_.at(v[0], u * unit), target = ir_.at(v[1], u * unit);
        if (unit == 4)
          ir_.store_word(ir_.load_word(source), target);
        else
          ir_.store_byte(ir_.load_byte(source, true), target);
      }
      const Value next = ir_.at(v[1], unroll * unit);
      return Values{ir_.at(v[0], unroll * unit), next, ir_.differs(next, end)};
    })[1];
  }

  const Workload& w_;
  const WinogradStrips& strips_;
  IrText& ir_;
  const Value gathered_, border_pixel_;
};

}  // namespace tinytune
