// The streaming FIFO of RP2040 and RP2350 and the DMA channels that empty it, as far as the driver
// of generated libraries uses them. Registers by pico-sdk 2.2.0: hardware_regs xip.h, dma.h and
// dreq.h of either chip.
#include <array>
#include <utility>

#include "simulator/arrival.h"

namespace tinytune {
namespace {

constexpr uint32_t kDma = 0x50000000, kRegistersBytes = 0x1000;
constexpr uint32_t kStat = 0x08, kStreamAddress = 0x14, kStreamCounter = 0x18;
constexpr uint32_t kFifoEmpty = 1u << 1, kCacheReady = 1u << 0;
constexpr uint32_t kChannelBytes = 0x40, kControlTrigger = 0x0C;
constexpr uint32_t kEnable = 1u << 0, kDataSize = 3u << 2, kWords = 2u << 2, kReadRises = 1u << 4;

/// What differs. A channel that chains to itself chains to none.
struct Chip {
  uint32_t xip, fifo_port, channels;
  uint32_t write_rises, busy;           ///< bits of a channel's control
  uint32_t chain_shift, request_shift;  ///< fields of 4 and 6 bits there
  uint32_t request;                     ///< the FIFO's number
};
constexpr Chip kRp2040 = {0x14000000, 0x50400000, 12, 1u << 5, 1u << 24, 11, 15, 37};
constexpr Chip kRp2350 = {0x400C8000, 0x50500000, 16, 1u << 6, 1u << 26, 13, 17, 49};

class Stream final : public Peripheral {
 public:
  void reset() override { address_ = words_ = 0; }
  void store(uint32_t offset, uint32_t value, PeripheralBus&) override {
    if (offset == kStreamAddress) address_ = value;
    if (offset == kStreamCounter) words_ = value;
  }
  uint32_t load(uint32_t offset, uint32_t stored, PeripheralBus&) override {
    return offset == kStat ? kFifoEmpty | kCacheReady : stored;
  }
  uint32_t address() const { return address_; }
  /// What a channel takes, once.
  uint32_t take_words() { return std::exchange(words_, 0); }

 private:
  uint32_t address_ = 0, words_ = 0;
};

class Channels final : public Peripheral {
 public:
  Channels(const Chip& chip, Arrival& arrival, Stream& stream)
      : chip_(chip), arrival_(arrival), stream_(stream) {}
  void reset() override { registers_ = {}; }

  void store(uint32_t offset, uint32_t value, PeripheralBus& bus) override {
    const uint32_t channel = offset / kChannelBytes, word = offset % kChannelBytes / 4;
    if (channel >= chip_.channels || word > kControlTrigger / 4) return;
    registers_[channel][word] = value;
    if (word != kControlTrigger / 4) return;
    const auto& [from, to, words, control] = registers_[channel];
    if (!takes_words_of_fifo(channel, control) || from != chip_.fifo_port)
      return bus.fault("a DMA channel is started for something else than the stream of words");
    if (arrival_.moves()) return bus.fault("a stream is started before the last one has ended");
    if (words == 0 || stream_.take_words() != words)
      return bus.fault("a DMA channel waits for other words than the stream brings");
    if (bus.read(stream_.address(), words * 4).empty() || bus.write(to, words * 4).empty()) return;
    arrival_.start(stream_.address(), to, words * 4);
    started_ = channel;
  }

  uint32_t load(uint32_t offset, uint32_t stored, PeripheralBus&) override {
    if (offset != started_ * kChannelBytes + kControlTrigger) return stored;
    return (stored & ~chip_.busy) | (arrival_.moves() ? chip_.busy : 0);
  }

 private:
  bool takes_words_of_fifo(uint32_t channel, uint32_t control) const {
    const uint32_t wanted = kEnable | kWords | chip_.write_rises;
    return (control & (kEnable | kDataSize | kReadRises | chip_.write_rises)) == wanted &&
           (control >> chip_.chain_shift & 0xF) == channel &&
           (control >> chip_.request_shift & 0x3F) == chip_.request;
  }

  const Chip& chip_;
  Arrival& arrival_;
  Stream& stream_;
  std::array<std::array<uint32_t, 4>, 16> registers_ = {};
  uint32_t started_ = 0;
};

std::vector<ArrivalRegisters> registers_on(const Chip& chip, Arrival& arrival) {
  std::vector<ArrivalRegisters> all;
  auto stream = std::make_unique<Stream>();
  auto channels = std::make_unique<Channels>(chip, arrival, *stream);
  all.push_back({chip.xip, kRegistersBytes, std::move(stream)});
  all.push_back({kDma, kRegistersBytes, std::move(channels)});
  return all;
}

}  // namespace

std::vector<ArrivalRegisters> rp2040_stream(Arrival& arrival) {
  return registers_on(kRp2040, arrival);
}

std::vector<ArrivalRegisters> rp2350_stream(Arrival& arrival) {
  return registers_on(kRp2350, arrival);
}

}  // namespace tinytune
