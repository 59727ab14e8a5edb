#include "simulator/dma_channels.h"

namespace tinytune {
namespace {

constexpr uint32_t kChannelBytes = 0x40, kControlTrigger = 0x0C;
constexpr uint32_t kEnable = 1u << 0, kDataSize = 3u << 2, kWords = 2u << 2, kReadRises = 1u << 4;

}  // namespace

void DmaChannels::store(uint32_t offset, uint32_t value, PeripheralBus& bus) {
  const uint32_t channel = offset / kChannelBytes, word = offset % kChannelBytes / 4;
  if (channel >= chip_.channels || word > kControlTrigger / 4) return;
  registers_[channel][word] = value;
  if (word != kControlTrigger / 4) return;
  const auto& [from, to, words, control] = registers_[channel];
  if (!takes_words_of_source(channel, from, control))
    return bus.fault("a DMA channel is started for something else than weights that arrive");
  if (arrival_.is_held()) return bus.fault("a transfer is started while two cores share a layer");
  if (arrival_.moves()) return bus.fault("a transfer is started before the last one has ended");
  busy_channel_ = channel;
  started_(to, words, bus);
}

uint32_t DmaChannels::load(uint32_t offset, uint32_t stored, PeripheralBus&) {
  if (offset != busy_channel_ * kChannelBytes + kControlTrigger) return stored;
  return (stored & ~chip_.busy) | (arrival_.moves() ? chip_.busy : 0);
}

// Checks a channel's configuration; chaining a channel to itself disables chaining.
bool DmaChannels::takes_words_of_source(uint32_t channel, uint32_t from, uint32_t control) const {
  const uint32_t wanted =
      kEnable | kWords | chip_.write_rises | (source_.swaps_bytes ? chip_.swaps_bytes : 0);
  const uint32_t mask = kEnable | kDataSize | kReadRises | chip_.write_rises | chip_.swaps_bytes;
  return from == source_.port && (control & mask) == wanted &&
         (control >> chip_.chain_shift & 0xF) == channel &&
         (control >> chip_.request_shift & 0x3F) == source_.request;
}

}  // namespace tinytune
