// The outer loops that kernels written in LLVM assembly share: walk the output in tiles of
// neighbouring pixels, stage each tile's inputs once in reduction order, then run over all output
// channels.
//
// Staging turns every convolution into a matrix product: kernel size, stride, padding and dilation
// are handled here, and a kernel's inner loop only walks two arrays.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/input_window.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// Returns the number of contiguous inputs in a pixel's window: a kernel row, or a single tap if
/// taps are tested or are separated by dilation or by other groups' channels.
inline int64_t inputs_of_run(const Workload& w, std::string_view border) {
  const int tap = w.in_c / w.groups;
  return border == "test" || w.dilation_w > 1 || w.groups > 1 ? tap : int64_t{w.kernel_w} * tap;
}

/// Returns whether PixelTiles supports the layer: a dense layer or an NHWC convolution of batch 1,
/// without the long requantisation. tiles_fit() requires a single group as well.
inline bool grouped_tiles_fit(const Workload& w) {
  if (w.batch != 1 || w.facts.requantise == Requantise::kLong) return false;
  // A dense layer is a 1x1 convolution of one pixel.
  return w.op == OpKind::kDense || (w.op == OpKind::kConv2d && w.layout == Layout::kNhwc);
}
inline bool tiles_fit(const Workload& w) { return grouped_tiles_fit(w) && w.groups == 1; }

/// Returns the border of an untuned layer: tested, which needs no copy, unless pixels have so few
/// channels that the tests cost more than the copy.
inline std::string usual_border(const Workload& w) {
  const Knob knob = border_knob(w);
  return w.in_c / w.groups >= 8 ? knob.values.back() : knob.values.front();
}

/// Replacements for the copy and fill of arrays by words, for cores with vectors.
struct ArrayCode {
  std::function<void(IrText&, const Value& from, const Value& to, int64_t bytes)> copy;
  std::function<void(IrText&, const Value& target, int64_t words, uint32_t word)> fill;
};

class PixelTiles {
 public:
  /// How a kernel addresses the inputs of several pixels: by a cursor per pixel or, if all pixels
  /// are in a row, by one cursor and offsets.
  enum class Cursors { kOfPixels, kOfRows };
  /// `pixels`: per tile, at most as many as the output has. `border`: the knob's value. `arrays`:
  /// code for the padded copy; default: words, by LLVM.
  PixelTiles(const Workload& workload, int pixels, std::string_view border, ArrayCode arrays = {},
             Cursors cursors = Cursors::kOfPixels)
      : w_(workload),
        pixels_(pixels),
        border_(border),
        window_(input_window(workload, border)),
        arrays_(std::move(arrays)),
        in_row_(cursors == Cursors::kOfRows && are_in_row(workload, pixels)) {}

  /// Returns whether all pixels of every tile are in a row and within reach of an offset.
  static bool are_in_row(const Workload& w, int pixels) {
    constexpr int64_t kReach = 1900;  // of an offset, less a margin for unrolled reads
    const bool pointwise = is_pointwise(w) || w.out_h == 1;
    return (pointwise || w.out_w % pixels == 0) && pixels * distance(w) <= kReach;
  }

  /// Where a pixel's window starts: its address in the padded copy, or its coordinates (which may
  /// be negative) where borders are tested.
  struct Pixel {
    Value address, row, column;
  };

  /// Returns the scratch that this needs; staged inputs follow it.
  static int64_t bytes(const Workload& w, std::string_view border) {
    // A tap outside the input reads one pixel of zero points instead.
    return border == "test" ? 4 * border_words(w) : input_window(w, border).bytes;
  }

  static int tiles(const Workload& w, int pixels) {
    return (w.out_h * w.out_w + pixels - 1) / pixels;
  }

  IrText& ir() { return ir_; }

  /// Writes the loops over tiles and groups. `stage` gets the start of every pixel's window;
  /// `channels` gets the address of the tile's first output. Both are those of the current group().
  /// The last tile moves back to fit.
  void walk(const std::function<void(const std::vector<Pixel>&)>& stage,
            const std::function<void(const Value&)>& channels) {
    const Value scratch = argument("scratch");
    if (window_.copied) copy_window(scratch);
    if (window_.tested) ir_.fill(scratch, border_words(w_), border_word());
    const Value source = window_.copied ? scratch : argument("input");
    const int64_t step = int64_t{w_.stride_w} * w_.in_c;
    const int64_t row_bytes = int64_t{window_.width} * w_.in_c * w_.stride_h;
    ir_.tiles(w_.out_h * w_.out_w, pixels_, [&](const Value& first) {
      std::vector<Pixel> pixels;
      if (is_pointwise(w_)) {
        const Value start_of_first = ir_.at(source, first, w_.in_c);
        for (int i = 0; i < pixels_; ++i)
          pixels.push_back({.address = ir_.at(start_of_first, int64_t{i} * w_.in_c)});
        return each_group(pixels, first, stage, channels);
      }
      Value y = ir_.divide(first, w_.out_w), x = ir_.remainder(first, w_.out_w);
      if (in_row_) return each_group(pixels_in_row(source, y, x), first, stage, channels);
      for (int i = 0; i < pixels_; ++i) {
        Pixel pixel;
        if (window_.tested) {
          pixel.row = ir_.sub(ir_.mul(y, w_.stride_h), w_.pad_top);
          pixel.column = ir_.sub(ir_.mul(x, w_.stride_w), w_.pad_left);
        } else {
          pixel.address = ir_.at(ir_.at(source, y, row_bytes), ir_.mul(x, step));
        }
        pixels.push_back(pixel);
        const Value next = ir_.add(x, 1);
        const Value same_row = ir_.differs(next, w_.out_w);
        x = ir_.select(same_row, next, 0);
        y = ir_.select(same_row, y, ir_.add(y, 1));
      }
      each_group(pixels, first, stage, channels);
    });
  }

  /// The index of the group in the loop being written.
  const Value& group() const { return group_; }

  using Step = std::function<void(const Values& cursors)>;
  /// Calls `step` for `unroll` neighbouring inputs (a divisor of the run) at a time, in reduction
  /// order. It gets the cursors (one per address in `pixels`, then `target`); `advance` is the
  /// bytes that `target` moves per input. Returns where the target ended.
  Value for_each_input(const std::vector<Pixel>& pixels, const Value& target, int unroll,
                       int64_t advance, const Step& step) {
    const Together same = [&](int64_t) { return unroll; };
    return for_each_run(pixels, target, same, advance,
                        [&](const Values& cursors, int) { step(cursors); });
  }

  /// The same with together(run) inputs at a time, because the length of runs differs where borders
  /// are tested. `step` gets this number.
  using Together = std::function<int(int64_t run)>;
  using SomeInputs = std::function<void(const Values& cursors, int inputs)>;
  Value for_each_run(const std::vector<Pixel>& pixels, const Value& target,
                     const Together& together, int64_t advance, const SomeInputs& step) {
    const auto whole = [&](const std::function<Value(const Pixel&)>& address) {
      if (in_row_ && pixels.size() > 1)
        return whole_rows({address(pixels[0])}, target, together, advance, in_row(pixels, step));
      Values starts;
      for (const Pixel& pixel : pixels) starts.push_back(address(pixel));
      return whole_rows(starts, target, together, advance, step);
    };
    if (!window_.tested) return whole([](const Pixel& pixel) { return pixel.address; });
    // Most tiles need no test of each tap.
    return ir_.either(
        all_inside(pixels),
        [&] { return Values{whole([&](const Pixel& pixel) { return address_inside(pixel); })}; },
        [&] { return Values{tested_taps(pixels, target, together, advance, step)}; })[0];
  }

  /// Tests whether the windows of all these pixels lie inside the input; for tested borders.
  Value all_inside(const std::vector<Pixel>& pixels) {
    const int rows = w_.in_h - (w_.kernel_h - 1) * w_.dilation_h,
              columns = w_.in_w - (w_.kernel_w - 1) * w_.dilation_w;
    Value inside;
    for (const Pixel& pixel : pixels) {
      // In a row, the first and the last pixel decide for those between.
      if (in_row_ && &pixel != &pixels.front() && &pixel != &pixels.back()) continue;
      const Value here = ir_.bit_and(ir_.below(pixel.row, std::max(rows, 0)),
                                     ir_.below(pixel.column, std::max(columns, 0)));
      inside = inside.text.empty() ? here : ir_.bit_and(inside, here);
    }
    return inside;
  }

  /// Returns where the window of a pixel that is inside starts in the input.
  Value address_inside(const Pixel& pixel) {
    return ir_.at(input_, ir_.add(ir_.mul(pixel.row, w_.in_w), pixel.column), w_.in_c);
  }

  /// Returns the address of staged inputs, after the padded copy or the zero points.
  Value staging_area() { return ir_.at(argument("scratch"), bytes(w_, border_)); }

 private:
  // Words of one pixel of zero points.
  static int64_t border_words(const Workload& w) { return (w.in_c / w.groups + 3) / 4; }
  uint32_t border_word() const { return 0x01010101u * static_cast<uint8_t>(w_.input_zero_point); }

  // Returns whether output pixel i reads input pixel i only.
  static bool is_pointwise(const Workload& w) {
    return w.kernel_h == 1 && w.kernel_w == 1 && w.out_h == w.in_h && w.out_w == w.in_w &&
           !needs_border(w);
  }

  // Returns the distance in bytes from a pixel's window to the next in the row.
  static int64_t distance(const Workload& w) { return int64_t{w.stride_w} * w.in_c; }

  // Returns a tile's pixels, which are in a row from the output pixel (y, x) on.
  std::vector<Pixel> pixels_in_row(const Value& source, const Value& y, const Value& x) {
    Pixel first;
    if (window_.tested) {
      first.row = ir_.sub(ir_.mul(y, w_.stride_h), w_.pad_top);
      first.column = ir_.sub(ir_.mul(x, w_.stride_w), w_.pad_left);
    } else {
      const int64_t row_bytes = int64_t{window_.width} * w_.in_c * w_.stride_h;
      first.address = ir_.at(ir_.at(source, y, row_bytes), ir_.mul(x, distance(w_)));
    }
    std::vector<Pixel> pixels;
    for (int i = 0; i < pixels_; ++i) {
      Pixel pixel = first;
      if (window_.tested)
        pixel.column = ir_.add(first.column, i * w_.stride_w);
      else
        pixel.address = ir_.at(first.address, i * distance(w_));
      pixels.push_back(pixel);
    }
    return pixels;
  }

  // Wraps `step` for a single cursor: derives the addresses of the other pixels from the first.
  SomeInputs in_row(const std::vector<Pixel>& pixels, const SomeInputs& step) {
    return [this, count = pixels.size(), &step](const Values& at, int inputs) {
      Values cursors;
      for (size_t i = 0; i < count; ++i)
        cursors.push_back(ir_.at(at[0], static_cast<int64_t>(i) * distance(w_)));
      cursors.push_back(at.back());
      step(cursors, inputs);
    };
  }

  // Writes a tile from the output pixel `first` on, group by group, with the group's slice of every
  // pixel.
  void each_group(const std::vector<Pixel>& pixels, const Value& first,
                  const std::function<void(const std::vector<Pixel>&)>& stage,
                  const std::function<void(const Value&)>& channels) {
    if (w_.groups == 1) {
      stage(pixels);
      return channels(ir_.at(argument("output"), first, w_.out_c));
    }
    const Value output = ir_.at(argument("output"), first, w_.out_c);
    ir_.count_to(w_.groups, [&](const Value& group) {
      group_ = group;
      const Value channel = ir_.mul(group, w_.in_c / w_.groups);
      input_ = ir_.at(argument("input"), channel);
      std::vector<Pixel> slices = pixels;
      for (Pixel& pixel : slices)
        if (!window_.tested) pixel.address = ir_.at(pixel.address, channel);
      stage(slices);
      channels(ir_.at(output, group, w_.out_c / w_.groups));
    });
  }

  // Copies the input with its padding to scratch; word by word if rows are aligned.
  void copy_window(const Value& scratch) {
    if (arrays_.fill)
      arrays_.fill(ir_, scratch, window_.bytes / 4, border_word());
    else
      ir_.fill(scratch, window_.bytes / 4, border_word());
    const int64_t row = int64_t{w_.in_w} * w_.in_c, padded = int64_t{window_.width} * w_.in_c;
    const int rows = std::min(w_.in_h, window_.height - w_.pad_top);
    const int64_t left = int64_t{w_.pad_left} * w_.in_c, used = std::min(row, padded - left);
    const bool words = row % 4 == 0 && padded % 4 == 0 && left % 4 == 0 && used % 4 == 0;
    ir_.count_to(rows, [&](const Value& y) {
      const Value from = ir_.at(argument("input"), y, row);
      const Value to =
          ir_.at(ir_.at(scratch, int64_t{w_.pad_top} * padded + left), ir_.mul(y, padded));
      if (arrays_.copy) return arrays_.copy(ir_, from, to, used);
      ir_.count_to(words ? used / 4 : used, [&](const Value& i) {
        const Value offset = words ? ir_.shift_left(i, 2) : i;
        if (words)
          ir_.store_word(ir_.load_word(ir_.at(from, offset)), ir_.at(to, offset));
        else
          ir_.store_byte(ir_.load_byte(ir_.at(from, offset), true), ir_.at(to, offset));
      });
    });
  }

  // Writes the steps over one contiguous run. The last cursor is the target; returns where it ends.
  Value run_inputs(const Values& cursors, int64_t run, const Together& together, int64_t advance,
                   const SomeInputs& step) {
    const int unroll = together(run);
    std::vector<int64_t> bytes(cursors.size(), unroll);
    bytes.back() = unroll * advance;
    return ir_.advance(run / unroll, cursors, bytes, [&](const Values& at) { step(at, unroll); })
        .back();
  }

  // Returns the address of the input under a tap, or of the zero points if the tap is outside.
  Value tap_address(const Pixel& pixel, const Value& row, const Value& column) {
    const Value y = ir_.add(pixel.row, row), x = ir_.add(pixel.column, column);
    const Value inside = ir_.bit_and(ir_.below(y, w_.in_h), ir_.below(x, w_.in_w));
    const Value offset = ir_.mul(ir_.add(ir_.mul(y, w_.in_w), x), w_.in_c);
    return ir_.select(inside, ir_.at(input_, offset), argument("scratch"));
  }

  // Writes the kernel rows of windows that need no test; rows count in units of the dilation.
  Value whole_rows(const Values& starts, const Value& target, const Together& together,
                   int64_t advance, const SomeInputs& step) {
    const int64_t kernel_row = int64_t{window_.width} * w_.in_c * w_.dilation_h;
    return ir_.count_to(w_.kernel_h, target, [&](const Value& row_target, const Value& row) {
      Values cursors;
      for (const Value& start : starts) cursors.push_back(ir_.at(start, row, kernel_row));
      cursors.push_back(row_target);
      if (w_.dilation_w == 1 && w_.groups == 1)
        return run_inputs(cursors, int64_t{w_.kernel_w} * w_.in_c, together, advance, step);
      return taps_apart(cursors, together, advance, step);
    });
  }

  // Writes the taps of a kernel row that are not contiguous.
  Value taps_apart(const Values& row, const Together& together, int64_t advance,
                   const SomeInputs& step) {
    const int64_t apart = int64_t{w_.dilation_w} * w_.in_c;
    return ir_.count_to(w_.kernel_w, row.back(), [&](const Value& target, const Value& column) {
      Values cursors;
      for (size_t i = 0; i + 1 < row.size(); ++i) cursors.push_back(ir_.at(row[i], column, apart));
      cursors.push_back(target);
      return run_inputs(cursors, w_.in_c / w_.groups, together, advance, step);
    });
  }

  Value tested_taps(const std::vector<Pixel>& pixels, const Value& target, const Together& together,
                    int64_t advance, const SomeInputs& step) {
    return ir_.count_to(w_.kernel_h, target, [&](const Value& row_target, const Value& i) {
      const Value row = ir_.mul(i, w_.dilation_h);
      return ir_.count_to(w_.kernel_w, row_target, [&](const Value& tap_target, const Value& tap) {
        const Value column = w_.dilation_w == 1 ? tap : ir_.mul(tap, w_.dilation_w);
        Values cursors;
        for (const Pixel& pixel : pixels) cursors.push_back(tap_address(pixel, row, column));
        cursors.push_back(tap_target);
        return run_inputs(cursors, w_.in_c / w_.groups, together, advance, step);
      });
    });
  }

  const Workload& w_;
  int pixels_;
  std::string border_;
  InputWindow window_;
  ArrayCode arrays_;
  const bool in_row_;
  IrText ir_;
  Value group_, input_ = argument("input");  // the current group's first channel
};

}  // namespace tinytune
