#include "templates/lanes/staged_lanes.h"

#include "templates/nest_builder.h"

namespace tinytune {

LoopNest StagedLanes::describe(const Workload& w, const Schedule& schedule, int start_words,
                               int extent) const {
  const int64_t tiles = PixelTiles::tiles(w, pixels);
  NestBuilder build(w, 4, 1, start_words);
  build.loop("px_outer", tiles, {.output = int64_t{w.out_c} * pixels});
  build.channel_tiles((w.out_c + tile.channels - 1) / tile.channels, tile.channels, weight_bytes());
  build.products({.terms = padded_reduction,
                  .step = tile.step,
                  .pixels = extent,
                  .channels = tile.channels,
                  .input_bytes = 4 * tile.words,
                  .weight_bytes = tile.channels,
                  .pixel_bytes = 4,
                  .out_pixel_bytes = w.out_c,
                  .element_bytes = 1});
  LoopNest nest = build.finish(schedule);
  nest.multiplies_per_mac = static_cast<double>(tile.words) / pixels;
  nest.accumulators = tile.channels * tile.words;
  nest.outputs = tiles * pixels * w.out_c;
  nest.prologue_bytes = PixelTiles::bytes(w, border) + staged_bytes() * tiles;
  nest.unrolled_body = int64_t{tile.channels} * tile.words * tile.step;
  nest.switches.emplace_back("lanes", 1.0);
  return nest;
}

std::string StagedLanesWriter::write(const std::string& symbol) {
  tiles_.walk([&](const Pixels& pixels) { stage(pixels); },
              [&](const Value& out) {
                const Value staged = tiles_.staging_area();
                channels_.run(tile_.channels, out,
                              [&](const Value& weights, const Value& params, const Value& output) {
                                return tile(weights, params, staged, output);
                              });
              });
  return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
}

}  // namespace tinytune
