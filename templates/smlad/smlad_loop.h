// Tiles of channels by pixels in SMLAD kernels: sums, requantised and stored.
//
// The inner loop is assembly, because what it gains hangs on registers: a tile takes all fourteen,
// and one that LLVM spills costs more than a product (smlad_step.h). Where a layer's requantisation
// allows, the rest of a tile is as well (smlad_tiles.h); else LLVM writes it around the loop.
#pragma once

#include <cstddef>

#include "templates/smlad/smlad_step.h"
#include "templates/smlad/smlad_tiles.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class SmladLoop {
 public:
  using Value = IrText::Value;
  using Values = IrText::Values;

  /// `channels`: with the tiles' start_words().
  SmladLoop(const Workload& workload, const SmladShape& shape, IrText& ir, ChannelLoop& channels)
      : w_(workload),
        shape_(shape),
        tile_(shape_.tile),
        runs_(shape_.runs),
        ir_(ir),
        channels_(channels),
        tiles_(workload, shape) {}

  /// All output channels of a tile of pixels. `output`: of the first pixel.
  void all(const Value& inputs, const Value& output);
  /// One tile of channels, `params` and `output` of its first. Returns the next one's weights.
  Value one(const Value& weights, const Value& inputs, const Value& params, const Value& output);

 private:
  static Value n(int64_t v) { return IrText::number(v); }

  int64_t run_bytes() const { return tile_.weight_bytes(runs_.pairs); }
  size_t index(int pixel, int channel) const {
    return static_cast<size_t>(pixel * tile_.channels + channel);
  }
  /// What is carried: the cursors of weights and inputs, and a sum each, which begins as the bias.
  Values start(const Value& weights, const Value& inputs, const Value& params);
  /// Adds products until the cursor of weights is `weights_end`.
  Values run(const Values& carried, const Value& weights_end);
  /// The sums of pixels and channels from what was carried last; see index().
  Values finish(const Value& params, const Values& carried);

  Value shared();

  const Workload& w_;
  const SmladShape shape_;
  const SmladTile& tile_;
  const SmladRuns& runs_;
  IrText& ir_;
  ChannelLoop& channels_;
  const SmladTiles tiles_;
};

}  // namespace tinytune
