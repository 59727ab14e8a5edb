// The array "params" that every kernel reads: of each channel, what its sums start from, then what
// its requantisation reads; behind the last channel, what all of them share.
//
// A channel's words stand side by side because one base register then reaches all of them;
// registers, not loads, are what an epilogue is short of. The zero point of the input is folded
// into the bias: sum (x - z) * w + b = sum x * w + (b - z * sum w), exactly, modulo 2^32.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace tinytune {

/// Words that one channel's requantisation reads, in this order:
///   fused    multiplier, offset; shared by all channels: left shift, right shift
///   short    2 * multiplier, right shift
///   shifted  2 * multiplier, right shift, left shift
///   long     multiplier, left shift, right shift
///   stepped  multiplier, right shift; shared: SteppedLevels, two to a word, the even one below
int scaling_words(Requantise kind);
int shared_words(Requantise kind);

/// The bias that makes the input's zero point disappear from the sum.
int32_t folded_bias(const Workload& workload, const LayerData& data, int channel);

/// Packs the array, front to back.
class ChannelParams {
 public:
  /// kUnsupported: the kind in `workload.facts` is not provable for these constants.
  static Result<ChannelParams> create(const Workload& workload, const LayerData& data);

  void add(std::initializer_list<int32_t> words);
  void add_scaling(int channel);
  /// What add_scaling() adds, and what finish() does.
  std::vector<int32_t> scaling(int channel) const;
  const std::vector<int32_t>& shared() const { return shared_; }
  /// Whether all channels are requantised alike and, if fused, with the shifts of layer_shifts.h.
  bool is_uniform() const;
  /// "params", with the shared words behind what was added.
  PackedConstant finish() const;

 private:
  explicit ChannelParams(Requantise kind) : kind_(kind) {}

  Requantise kind_;
  std::vector<int32_t> scaling_, shared_, words_;
};

/// The array of kernels whose sums start from the folded bias alone.
Result<PackedConstant> pack_params(const Workload& workload, const LayerData& data);

/// Of kernels that keep what sums start from elsewhere: requantisation alone, of each channel or,
/// once, of the layer: then without shifts, if fused, which are those of layer_shifts.h.
enum class Scaled { kByChannel, kByLayer };
/// kUnsupported: asked for the layer's, and channels or shifts differ.
Result<PackedConstant> pack_scaling(const Workload& workload, const LayerData& data, Scaled scaled);

}  // namespace tinytune
