// Tiles of channels by pixels in SMLAD kernels: from loads to stored bytes, and their constants.
//
// Between tiles there is as little to gain as in the loop: with sums in registers, what LLVM writes
// around it moves every pointer through the stack twice. Where a layer's requantisation is fused or
// short and clamps to bytes, a loop over tiles is one piece of assembly: pointers rest in a frame
// of a few words while the sums need the registers, and come back when the sums are requantised.
// Of the rest only the inner loop is assembly, and LLVM writes what is around it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/workload.h"
#include "templates/smlad/smlad_sums.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class SmladTiles {
 public:
  SmladTiles(const Workload& workload, const SmladShape& shape) : w_(workload), shape_(shape) {}

  /// Whether tiles are written in one piece.
  bool in_one_piece() const;
  /// Of weights, from a tile to the next; what sums start from is there or with the parameters.
  int64_t tile_bytes() const;

  /// Constants of a layer; see pack_smlad().
  /// kUnsupported: these constants do not permit it.
  Result<std::vector<PackedConstant>> pack(const LayerData& data, const InputOf& input_of) const;

  /// All output channels of a tile of pixels. `output`: of the first pixel.
  void all(const Value& inputs, const Value& output, IrText& ir) const;
  /// One tile of channels, of whose first all are. Returns the next one's weights.
  Value one(const Value& weights, const Value& inputs, const Value& params, const Value& output,
            IrText& ir) const;
  /// The loop over tiles, for what does more with each than one().
  ChannelLoop channels(IrText& ir) const;

 private:
  void write(Values operands, IrText& ir) const;
  Values add_products(Values carried, const Value& end, IrText& ir) const;

  const Workload& w_;
  const SmladShape shape_;
};

}  // namespace tinytune
