// Weights of lanes, tap after tap, in the widths that RVV multiplies: 16 bits, or bytes.
//
// They are stored in the order of reading, [tap][lane] for each tile of channels: as bytes, which
// are widened once loaded, or as 16 bits, which take twice the memory and one instruction less. If
// taps fill registers, several are loaded at a time.
//
// Products of bytes have 16 bits and take half the registers of sums. The sum of two products fits
// 16 bits as well if their weights' magnitudes add up to less than 256: trained weights are not
// below -127.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/isa/rvv.h"
#include "templates/packing.h"

namespace tinytune {

class RvvWeights {
 public:
  /// Uses `registers` (4 or 8) from v0 on. Widened weights are in the upper half.
  RvvWeights(const RvvLanes& lanes, bool are_halves, int registers)
      : lanes_(lanes),
        halves_(are_halves),
        loaded_(are_halves ? registers : registers / 2),
        widened_{registers / 2} {}

  /// Returns the number of taps that are loaded together.
  int held() const { return whole() ? loaded_ / lanes_.registers(bits()) : 1; }
  /// Rounds `taps` up to a multiple of held().
  int padded(int64_t taps) const { return static_cast<int>((taps + held() - 1) / held() * held()); }
  /// Returns the bytes loaded per tile, on average. Loads of whole registers include lanes without
  /// a channel.
  double loaded_bytes(int64_t taps, int channels) const {
    if (whole()) return static_cast<double>(padded(taps) * tap_bytes());
    return static_cast<double>(taps) * lanes_.used(channels) * bits() / 8;
  }
  int64_t tap_bytes() const { return int64_t{lanes_.count()} * bits() / 8; }

  PackedConstant pack(const Workload& w, const LayerData& data) const {
    std::vector<int8_t> weights;
    for (int first = 0; first < w.out_c; first += lanes_.count()) {
      std::vector<std::vector<int8_t>> tile(static_cast<size_t>(lanes_.count()));
      for (int lane = 0; lane < lanes_.count(); ++lane)
        if (first + lane < w.out_c)
          tile[static_cast<size_t>(lane)] = channel_weights(w, data, first + lane);
      for (size_t tap = 0; tap < static_cast<size_t>(padded(w.reduction())); ++tap)
        for (const std::vector<int8_t>& lane : tile) {
          const int8_t weight = tap < lane.size() ? lane[tap] : int8_t{0};
          weights.push_back(weight);
          if (halves_) weights.push_back(weight < 0 ? int8_t{-1} : int8_t{0});
        }
    }
    // Weights of 16 bits are aligned as such.
    PackedConstant packed = bytes_constant("weights", weights);
    if (halves_) packed.element_bytes = 2;
    return packed;
  }

  /// Returns the next tap's weights, at a width of 16; valid until held() more were requested.
  /// Advances `from`.
  VectorReg next(Reg from, Rvv& isa) {
    const VectorReg at = next_as_packed(from, isa);
    if (halves_) return at;
    const int groups = loaded_ / lanes_.registers(16);
    const VectorReg wide = widened_ + lanes_.registers(16) * (widenings_++ % groups);
    isa.widen(wide, at);
    return wide;
  }
  /// The same without widening.
  VectorReg next_as_packed(Reg from, Rvv& isa) {
    const int tap = taps_++ % held(), loads = loads_;
    VectorReg at{lanes_.registers(bits()) * tap};
    if (whole()) {
      if (tap == 0) isa.load_registers({0}, loaded_, from);
    } else {
      at = {loads % loaded_};
      isa.load(at, bits(), from);
      ++loads_;
    }
    return at;
  }

  /// Returns whether the sum of two neighbouring taps' products fits 16 bits for all inputs.
  static bool pairs_fit(const Workload& w, const LayerData& data) {
    constexpr int kMost = INT16_MAX / 128;
    for (int c = 0; c < w.out_c; ++c) {
      const std::vector<int8_t> weights = channel_weights(w, data, c);
      for (size_t tap = 0; tap + 1 < weights.size(); tap += 2)
        if (std::abs(weights[tap]) + std::abs(weights[tap + 1]) > kMost) return false;
    }
    return true;
  }

 private:
  int bits() const { return halves_ ? 16 : 8; }
  bool whole() const { return lanes_.fills_registers(bits()); }

  const RvvLanes lanes_;
  const bool halves_;
  const int loaded_;  // registers
  const VectorReg widened_;
  int taps_ = 0, loads_ = 0, widenings_ = 0;
};

}  // namespace tinytune
