// What kernels written in LLVM assembly share: the loop over tiles of output channels, and a tile's
// end, from sums to stored bytes.
//
// Weights, parameters (channel_params.h) and outputs advance together from tile to tile; the loop
// ends where the parameters do. Only the sums are a template's own.
#pragma once

#include <functional>

#include "schedules/workload.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class ChannelLoop {
 public:
  /// `start_words`: of a channel's parameters, before those of requantisation.
  ChannelLoop(const Workload& workload, IrText& ir, int start_words);

  /// Bytes of one channel's parameters.
  int param_bytes() const;

  /// Writes the loop over tiles of `channels` output channels; the last one moves back to fit, so
  /// that some channels are computed twice where `channels` is no divisor. `tile` gets the
  /// addresses of the tile's weights, parameters and first output; it returns where the next tile's
  /// weights are.
  void run(int channels, const Value& output,
           const std::function<Value(const Value& weights, const Value& params,
                                     const Value& output)>& tile);

  /// Requantises and stores a tile: `channels` neighbouring bytes of each of `pixels` pixels that
  /// are `pixel_bytes` apart. `sum(pixel, channel)` gives each, channel by channel.
  struct Extent {
    int channels, pixels;
    int64_t pixel_bytes;
  };
  void store(const Extent& extent, const Value& params, const Value& output,
             const std::function<Value(int pixel, int channel)>& sum);

  /// A channel's requantisation, in registers; `address` is of the first of its words.
  struct Scaling {
    Value multiplier, last;  ///< last: offset, or right shift
    Value left;              ///< of the shifted form only
  };
  Scaling scaling(const Value& address);
  /// The clamped result, still a word. `end` is end()'s value.
  Value requantise(const Value& sum, const Scaling& scaling, const Value& end);

  /// From here on the clamp's limits are in registers. LLVM would load them for every output, which
  /// is right where a core clamps in one instruction.
  void keep_limits();
  Value clamp(const Value& value) { return ir_.clamp(value, low_, high_); }

  /// Behind the last channel's parameters: what all channels share.
  Value end();

 private:
  /// stepped_requantise.h, `levels` the table's address.
  Value stepped(const Value& sum, const Scaling& scaling, const Value& levels);

  const Workload& w_;
  IrText& ir_;
  int start_words_;
  Value low_, high_;  // the clamp's limits
};

}  // namespace tinytune
