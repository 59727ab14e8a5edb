// DMA channels of RP2040 and RP2350 that copy words from one port to increasing addresses, as far
// as drivers of generated libraries use them. Registers by pico-sdk 2.2.0: hardware_regs dma.h and
// dreq.h of either chip.
//
// A channel with any other configuration ends the call in a fault, as it would copy other bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "simulator/arrival.h"

namespace tinytune {

/// Differences between the chips.
struct DmaChip {
  uint32_t channels = 0;
  uint32_t write_rises = 0, swaps_bytes = 0, busy = 0;  ///< bits of a channel's control
  uint32_t chain_shift = 0, request_shift = 0;          ///< fields of 4 and 6 bits there
};
inline constexpr DmaChip kDmaOfRp2040 = {12, 1u << 5, 1u << 22, 1u << 24, 11, 15};
inline constexpr DmaChip kDmaOfRp2350 = {16, 1u << 6, 1u << 24, 1u << 26, 13, 17};

/// The port that words come from.
struct DmaSource {
  uint32_t port = 0;         ///< address that a channel reads
  uint32_t request = 0;      ///< number of the signal that paces it
  bool swaps_bytes = false;  ///< words have their first byte in the highest bits
};

class DmaChannels final : public Peripheral {
 public:
  static constexpr uint32_t kAddress = 0x50000000, kBytes = 0x1000;
  /// Called when a channel is started: it waits for `words`, to be stored from `to` on.
  using Started = std::function<void(uint32_t to, uint32_t words, PeripheralBus& bus)>;
  /// `chip` and `arrival` outlive it; a channel is busy while the transfer of `arrival` is.
  DmaChannels(const DmaChip& chip, const DmaSource& source, Arrival& arrival, Started started)
      : chip_(chip), source_(source), arrival_(arrival), started_(std::move(started)) {}

  void reset() override { registers_ = {}; }
  void store(uint32_t offset, uint32_t value, PeripheralBus& bus) override;
  uint32_t load(uint32_t offset, uint32_t stored, PeripheralBus& bus) override;

 private:
  bool takes_words_of_source(uint32_t channel, uint32_t from, uint32_t control) const;

  const DmaChip& chip_;
  const DmaSource source_;
  Arrival& arrival_;
  Started started_;
  std::array<std::array<uint32_t, 4>, 16> registers_ = {};
  uint32_t busy_channel_ = 0;
};

}  // namespace tinytune
