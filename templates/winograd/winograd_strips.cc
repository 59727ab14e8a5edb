#include "templates/winograd/winograd_strips.h"

#include "templates/input_window.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

int64_t whole_words(int64_t bytes) { return (bytes + 3) / 4 * 4; }
int times(int n, int part) { return (n + part - 1) / part; }

}  // namespace

WinogradStrips::WinogradStrips(const Workload& w, int square_, int tiles_, int unit)
    : square(square_),
      tiles(tiles_),
      pixel_bytes(int64_t{times(w.in_c, unit)} * unit),
      gathers(needs_border(w) || pixel_bytes != w.in_c),
      rows(times(w.out_h, square)),
      strips(times(w.out_w, square * tiles)),
      row_bytes((gathers ? square * tiles + 2 : w.in_w) * pixel_bytes),
      patch_bytes(gathers ? whole_words((square + 2) * row_bytes) : 0),
      border_bytes(needs_border(w) ? whole_words(w.in_c) : 0) {}

bool has_winograd_squares(const Workload& w, int square) {
  return tiles_fit(w) && w.op == OpKind::kConv2d && w.kernel_h == 3 && w.kernel_w == 3 &&
         w.stride_h == 1 && w.stride_w == 1 && w.dilation_h == 1 && w.out_h >= square &&
         w.out_w >= square;
}

void WinogradWalk::groups(int rows, const std::function<void(const Group&)>& body) {
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

void WinogradWalk::each(const Group& group,
                        const std::function<void(const Value&, const Strip&)>& body) {
  const int height = strips_.square, width = height * strips_.tiles;
  const auto row_of = [&](const Value& row) { return ir_.tile_start(row, height, w_.out_h); };
  const auto column_of = [&](const Value& s) { return ir_.tile_start(s, width, w_.out_w); };
  if (group.rows * group.strips == 1) return body(0, {row_of(group.row), column_of(group.strip)});
  ir_.count_to(group.rows, [&](const Value& r) {
    const Value y = row_of(ir_.add(group.row, r)), first = ir_.mul(r, group.strips);
    ir_.count_to(group.strips, [&](const Value& s) { body(ir_.add(first, s), {y, column_of(s)}); });
  });
}

Value WinogradWalk::patch(const Strip& strip) {
  if (!strips_.gathers)
    return ir_.at(IrText::argument("input"), pixel(strip.y, strip.x, w_.in_w, w_.in_c));
  gather(strip);
  return gathered_;
}

Value WinogradWalk::output(const Strip& strip) {
  return ir_.at(IrText::argument("output"), pixel(strip.y, strip.x, w_.out_w, w_.out_c));
}

Value WinogradWalk::pixel(const Value& y, const Value& x, int width, int channels) {
  return ir_.mul(ir_.add(ir_.mul(y, width), x), channels);
}

void WinogradWalk::gather(const Strip& strip) {
  const Value top = ir_.sub(strip.y, w_.pad_top), left = ir_.sub(strip.x, w_.pad_left);
  ir_.count_to(strips_.square + 2, gathered_, [&](const Value& row, const Value& i) {
    const Value input_y = ir_.add(top, i);
    const Value row_inside = ir_.below(input_y, w_.in_h);
    const Value end = ir_.at(row, strips_.row_bytes);
    return ir_.do_while({row, left}, [&](const Values& v) {
      const Value inside = ir_.both(row_inside, ir_.below(v[1], w_.in_w));
      const Value offset = pixel(input_y, v[1], w_.in_w, w_.in_c);
      const Value at = ir_.at(IrText::argument("input"), offset);
      const Value from = strips_.border_bytes > 0 ? ir_.select(inside, at, border_pixel_) : at;
      const Value to = ir_.at(copy_pixel(from, v[0]), strips_.pixel_bytes - w_.in_c);
      return Values{to, ir_.add(v[1], 1), ir_.differs(to, end)};
    })[0];
  });
}

// Returns the end of the copy.
Value WinogradWalk::copy_pixel(const Value& from, const Value& to) {
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

}  // namespace tinytune
