// Requantisation at the end of assembly for RV32 (lane_pairs.h), of any kind that is proved.
//
// The fused form takes what the short and the shifted one say as well, if it may know a sum's sign:
//   out = clamp((mulh(sum << left, multiplier) + offset + (sum < 0 ? signed_offset : 0)) >> right)
// The short form's rounded high word is (mulh(sum << 2, m) + 1) >> 1, and what it adds below zero,
// 1 of that word, is 2 before the shift: one shift for both, the zero point before it as well. Sums
// between -1/2 and 0 of the high word's units are below zero here and not there; they are far from
// any step. What this form asks beyond theirs is two bits of room, which packing checks.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/tile/assembly.h"
#include "tinytune/result.h"

namespace tinytune {

/// Words that a channel's requantisation reads.
int end_words(Requantise kind);

/// Those of every channel, and the table that all of the stepped form share.
struct PackedEnds {
  std::vector<std::vector<int32_t>> channels;
  std::vector<int32_t> levels;

  bool are_alike() const;
};

/// kUnsupported: the kind in `workload.facts` is not provable for these constants, or has not the
/// room.
Result<PackedEnds> pack_ends(const Workload& workload, const LayerData& data);

/// Operands.
struct EndRegisters {
  Reg first;   ///< of kScratchOfEnds in a row
  Reg levels;  ///< the address of SteppedLevels, of the stepped form only
  Reg output;
};
inline constexpr int kScratchOfEnds = 10;

/// Writes the ends of channels.
class LaneEnds {
 public:
  LaneEnds(const Workload& workload, const EndRegisters& registers, Assembly& text);

  void load_limits();
  /// The words of the channels that follow; `at` bytes from `base`.
  void load_words(Reg base, int at);
  /// Requantises `sum`, which may be changed, and stores it `at` bytes from the output.
  void end(Reg sum, int at);

 private:
  void scale(Reg sum);
  void scale_stepped(Reg sum);
  Reg word(int i) const { return registers_.first + i; }

  const Workload& w_;
  const EndRegisters registers_;
  Assembly& text_;
  const Reg low_, high_, result_, other_, third_;
};

}  // namespace tinytune
