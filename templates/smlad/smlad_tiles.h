// Tiles of channels by pixels from loads to stored bytes, in one piece of assembly.
//
// Between tiles there is as little to gain as in the loop: with sums in registers, what LLVM writes
// around it moves every pointer through the stack twice. Here pointers rest in a frame of a few
// words while the sums need the registers, and come back when the sums are requantised. What sums
// start from stands before the tile's weights: one LDM loads it, and the cursor of weights is where
// the products begin.
//
// For layers whose requantisation is fused or short and clamps to bytes, and for tiles of at most
// eight sums; the rest goes through SmladLoop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/workload.h"
#include "templates/channel_params.h"
#include "templates/smlad/smlad_step.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// What a tile multiplies: runs of neighbouring pairs, whole steps of them.
struct SmladRuns {
  int64_t count = 1;
  int64_t pairs;          ///< of each
  int step;               ///< pairs between tests
  int64_t gap_bytes = 0;  ///< of inputs, from the end of a run to the start of the next
};

struct SmladShape {
  SmladTile tile;
  SmladInputs inputs;
  SmladRuns runs;
  LoadOrder loads;
  Scaled scaled = Scaled::kByChannel;
};

class SmladTiles {
 public:
  using Value = IrText::Value;

  SmladTiles(const Workload& workload, const SmladShape& shape) : w_(workload), shape_(shape) {}

  bool fits() const;

  /// Constants of a layer, of tiles that fit and of those that do not. `pack_tile` appends the
  /// words of one tile's weights.
  /// kUnsupported: these constants do not permit it.
  using PackTile = std::function<Status(const std::vector<std::vector<int8_t>>& channels,
                                        std::vector<int32_t>& words)>;
  Result<std::vector<PackedConstant>> pack(const LayerData& data, const PackTile& pack_tile) const;
  /// Of weights, from a tile to the next.
  int64_t tile_bytes() const;
  /// Of a channel in "params", before its requantisation.
  int start_words() const { return fits() ? 0 : 1; }

  /// Whole tiles of channels, those whose weights are from `weights` to `weights_end`; `params` are
  /// the first channel's, if scaled by channel; `output` is its byte of the first pixel; `shared`
  /// is behind the last channel's parameters or, if scaled by layer, where they begin.
  struct Place {
    Value weights, weights_end, inputs, params, output, shared;
  };
  /// Of tiles that fit.
  void write(const Place& place, IrText& ir) const;

 private:
  Status check_starts(const LayerData& data) const;
  void add_starts(const LayerData& data, int first, std::vector<int32_t>& words) const;

  const Workload& w_;
  const SmladShape shape_;
};

}  // namespace tinytune
