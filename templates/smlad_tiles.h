// Tiles of channels by pixels from loads to stored bytes, in one piece of assembly.
//
// Between tiles there is as little to gain as in the loop: with sums in registers, what LLVM writes
// around it moves every pointer through the stack twice. Here pointers rest in a frame of a few
// words while the sums need the registers, and come back when the sums are requantised.
//
// For layers whose requantisation is fused or short and clamps to bytes, and for tiles of at most
// eight sums; the rest goes through SmladLoop.
#pragma once

#include <cstdint>

#include "schedules/workload.h"
#include "templates/ir_text.h"
#include "templates/smlad_step.h"

namespace tinytune {

/// What a tile multiplies: runs of neighbouring pairs, whole steps of them.
struct SmladRuns {
  int64_t count = 1;
  int64_t pairs;          ///< of each
  int step;               ///< pairs between tests
  int64_t gap_bytes = 0;  ///< of inputs, from the end of a run to the start of the next
};

class SmladTiles {
 public:
  using Value = IrText::Value;

  SmladTiles(const Workload& workload, const SmladTile& tile, const SmladInputs& inputs,
             const SmladRuns& runs, SmladLoads loads)
      : w_(workload), tile_(tile), inputs_(inputs), runs_(runs), loads_(loads) {}

  bool fits() const;

  /// Whole tiles of channels, those whose parameters are from `params` to `params_end`; `output` is
  /// the first pixel's first of these channels, `shared` where ChannelLoop::end() points to.
  struct Place {
    Value weights, inputs, params, params_end, output, shared;
  };
  void write(const Place& place, IrText& ir) const;

 private:
  const Workload& w_;
  const SmladTile tile_;
  const SmladInputs inputs_;
  const SmladRuns runs_;
  const SmladLoads loads_;
};

}  // namespace tinytune
