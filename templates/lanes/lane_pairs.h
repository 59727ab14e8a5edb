// Tiles of lane-packed dense layers (lanes_dense.cc) in one piece of assembly for RV32.
//
// Groups of products, what empties the lanes behind each, and the ends of channels: every sum has
// its registers, and LLVM, which spills a tile of four pairs, writes nothing between them. All that
// tiles read but inputs stands in one stream, in the order in which it is read. Products are
// unrolled and nothing counts them: a group enters the code where as many are left as it has. How
// far into it that is, and how far the cursors go, stands before the group's weights, so a group
// has any length and costs eight instructions beside its products and its lanes. Cursors move to
// the group's end first; products reach back from there.
//
// Weights are a word a pair, or a byte each, four channels a word, w + 128. Of such a word
//   even = word & 0xff00ff   is the lanes of channels 0 and 2,
//   rest = word >> 8         is those of 1 and 3, and 256 times channel 2,
// whose sum the even lanes tell: a mask and a shift for four products are all that bytes cost. What
// 128 adds is a multiple of the sum of inputs, for all channels the same.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/workload.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

struct LanePairs {
  int pairs;      ///< of channels, a tile; two of them a word if `in_bytes`
  int longest;    ///< group, in products
  bool in_bytes;  ///< each weight
  bool by_layer;  ///< all channels end alike

  /// Which channels of the tile are in the low and in the high lane of pair `q`.
  std::pair<int, int> channels_of(int q) const;
  /// One product's weights: of the tile's channels.
  std::vector<int32_t> product_words(const std::vector<int8_t>& weights) const;
  /// A tile begins with its pairs' sum and high of PairStart. Before a group's weights, and behind
  /// the last group of a tile; the ends' words follow, those of the layer or of the channels in the
  /// order of pairs.
  std::vector<int32_t> group_words(int products) const;
  std::vector<int32_t> last_words(bool more_tiles) const;

  /// Code of one product of every channel, of which there are `longest`.
  int product_code_bytes() const;
};

/// Whether RV32's registers and the offsets of its loads suffice.
bool lane_pairs_fit(const Workload& workload, const LanePairs& tile);

/// Cursors of the stream, of inputs (which returns to the first) and of outputs.
struct LaneCursors {
  Value stream, inputs, outputs;
};

/// Computes tiles up to the last one that says there are no more, and returns the cursors behind
/// it. `levels` as in rv32_ends.h.
LaneCursors add_lane_pairs(const Workload& workload, const LanePairs& tile,
                           const LaneCursors& cursors, const Value& levels, IrText& ir);

}  // namespace tinytune
