// The frame that kernels written in LLVM assembly share: walk the output in tiles of neighbouring
// pixels, stage each tile's inputs once in reduction order, then run over all output channels.
//
// Staging makes every convolution a matrix product: kernel size, stride, padding and dilation are
// dealt with here, and a kernel's inner loop only walks two arrays.
#pragma once

#include <functional>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/input_window.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// Contiguous inputs of a pixel's window: whole kernel rows, or single taps where each is tested.
int64_t inputs_of_run(const Workload& workload, std::string_view border);

/// Dense layers and convolutions whose inputs come in such runs, if their requantisation is not the
/// long one.
bool tiles_fit(const Workload& workload);

/// The border of an untuned layer: tested, which needs no copy, unless pixels are so short that the
/// tests cost more than the copy.
std::string usual_border(const Workload& workload);

class PixelTiles {
 public:
  /// `pixels` a tile, at most as many as the output has; `border` as the knob says.
  PixelTiles(const Workload& workload, int pixels, std::string_view border);

  /// Where a pixel's window starts: its address in the padded copy, or its coordinates (which may
  /// be negative) where borders are tested.
  struct Pixel {
    Value address, row, column;
  };

  /// Scratch this frame needs; staged inputs come behind it.
  static int64_t bytes(const Workload& workload, std::string_view border);

  static int tiles(const Workload& workload, int pixels);

  IrText& ir() { return ir_; }

  /// Writes the whole walk. `stage` gets the addresses of the tile's first inputs, one a pixel;
  /// `channels` gets the tile's first output. The last tile moves back to fit.
  void walk(const std::function<void(const std::vector<Pixel>&)>& stage,
            const std::function<void(const Value& out)>& channels);

  using Step = std::function<void(const Values& cursors)>;
  /// Calls `step` for `unroll` neighbouring inputs (a divisor of the run) at a time, in reduction
  /// order. It gets the cursors (one per address in `pixels`, then `target`); `advance` is the
  /// bytes that `target` moves per input. Returns where the target ended.
  Value for_each_input(const std::vector<Pixel>& pixels, const Value& target, int unroll,
                       int64_t advance, const Step& step);

  /// The space behind the padded copy of the input, where staged inputs go.
  Value staging_area();

 private:
  void copy_window(const Value& scratch);
  uint32_t border_word() const;
  Value tap_address(const Pixel& pixel, const Value& row, const Value& column);
  /// Of tested borders: whether the windows of all these pixels lie inside the input.
  Value all_inside(const std::vector<Pixel>& pixels);
  Value whole_rows(const Values& starts, const Value& target, int unroll, int64_t advance,
                   const Step& step);
  Value tested_taps(const std::vector<Pixel>& pixels, const Value& target, int unroll,
                    int64_t advance, const Step& step);
  Value run_inputs(const Values& cursors, int64_t run, int unroll, int64_t advance,
                   const Step& step);

  const Workload& w_;
  int pixels_;
  std::string border_;
  InputWindow window_;
  IrText ir_;
};

}  // namespace tinytune
