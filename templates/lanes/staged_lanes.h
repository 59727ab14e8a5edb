// The outer loops of lane-packed convolutions: for a tile of pixels, words that hold the inputs of
// several pixels are staged once (pixel_tiles.h); all output channels multiply them by bytes of
// weights, [tile][product][channel].
//
// Pixels, not weights, are packed: weights stay bytes in flash, and the lanes of a word share a
// channel's constants. A template defines the layout of lanes in a word and the code of a tile of
// channels. Each group of channels is such a convolution (channel_groups.h); groups are staged in
// turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/loop_nest.h"
#include "templates/isa/product_isa.h"
#include "templates/nest_builder.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {

struct StagedLanes {
  LaneTile tile;
  int pixels;  ///< pixels per tile; tile.words words hold one input of each
  int64_t padded_reduction;
  std::string border;
  int64_t start_bytes = 0;  ///< bytes of start values, staged before the words

  int64_t weight_bytes() const { return padded_reduction * tile.channels; }  ///< per tile
  int64_t staged_bytes() const { return start_bytes + padded_reduction * tile.words * 4; }
  int64_t scratch_bytes(const Workload& w) const {
    return PixelTiles::bytes(w, border) + staged_bytes();
  }

  /// `start_words`: a channel's words before its requantisation.
  LoopNest describe(const Workload& w, const Schedule& schedule, int start_words) const {
    const int64_t tiles = PixelTiles::tiles(w, pixels);
    NestBuilder build(w, 4, 1, start_words);
    build.loop("px_outer", tiles, {.output = int64_t{w.out_c} * pixels});
    build.group_tiles(w, one_group(w), tile.channels, weight_bytes());
    build.products({.terms = padded_reduction,
                    .step = tile.step,
                    .pixels = pixels,
                    .channels = tile.channels,
                    .input_bytes = 4 * tile.words,
                    .weight_bytes = tile.channels,
                    .pixel_bytes = 4,
                    .out_pixel_bytes = w.out_c,
                    .element_bytes = 1});
    build.input_loads(4 * tile.words * tile.step);
    LoopNest nest = build.finish(schedule);
    nest.multiplies_per_mac = static_cast<double>(tile.words) / pixels;
    nest.accumulators = tile.channels * tile.words;
    nest.prologue_bytes = PixelTiles::bytes(w, border) + staged_bytes() * tiles * w.groups;
    nest.unrolled_body = int64_t{tile.channels} * tile.words * tile.step;
    nest.switches.emplace_back("lanes", 1.0);
    return nest;
  }
};

class StagedLanesWriter {
 public:
  std::string write(const std::string& symbol) {
    tiles_.walk([&](const Pixels& pixels) { stage(pixels); },
                [&](const Value& out) {
                  const Value staged = tiles_.staging_area();
                  if (w_.groups > 1) channels_.move_to(slice());
                  all_channels(staged, out);
                });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 protected:
  using Pixels = std::vector<PixelTiles::Pixel>;

  /// `shared_words`: the parameter words after those of a group's channels.
  StagedLanesWriter(const Workload& w, const StagedLanes& plan, int start_words, int shared_words,
                    PixelTiles::Cursors cursors = PixelTiles::Cursors::kOfPixels)
      : w_(w),
        tiles_(w, plan.pixels, plan.border, {}, cursors),
        ir_(tiles_.ir()),
        group_(one_group(w)),
        channels_(group_, ir_, start_words),
        tile_(plan.tile),
        group_weights_((group_.out_c + tile_.channels - 1) / tile_.channels * plan.weight_bytes()),
        shared_words_(shared_words) {}
  ~StagedLanesWriter() = default;

  virtual void stage(const Pixels& pixels) = 0;
  /// Writes all tiles of channels.
  virtual void all_channels(const Value& staged, const Value& out) {
    channels_.run(tile_.channels, out,
                  [&](const Value& weights, const Value& params, const Value& output) {
                    return tile(weights, params, staged, output);
                  });
  }
  /// Writes a tile of channels. Returns the address of the next tile's weights.
  virtual Value tile(const Value& weights, const Value& params, const Value& staged,
                     const Value& out) = 0;

  const Workload& w_;
  PixelTiles tiles_;
  IrText& ir_;

 private:
  const Workload group_;

 protected:
  ChannelLoop channels_;

 private:
  // Returns the current group's constants.
  ChannelSlice slice() {
    const int64_t params = int64_t{channels_.param_bytes()} * group_.out_c + 4 * shared_words_;
    return {w_.out_c, ir_.at(argument("weights"), tiles_.group(), group_weights_),
            ir_.at(argument("params"), tiles_.group(), params)};
  }

  const LaneTile tile_;
  const int64_t group_weights_;
  const int shared_words_;
};

}  // namespace tinytune
