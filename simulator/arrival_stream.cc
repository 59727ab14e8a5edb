// The streaming FIFO of RP2040 and RP2350, which a DMA channel empties, as far as the driver of
// generated libraries uses it. Registers by pico-sdk 2.2.0: hardware_regs xip.h and dreq.h of
// either chip.
#include <utility>

#include "simulator/arrival.h"
#include "simulator/dma_channels.h"

namespace tinytune {
namespace {

constexpr uint32_t kRegistersBytes = 0x1000;
constexpr uint32_t kStat = 0x08, kStreamAddress = 0x14, kStreamCounter = 0x18;
constexpr uint32_t kFifoEmpty = 1u << 1, kCacheReady = 1u << 0;

class Stream final : public Peripheral {
 public:
  explicit Stream(Arrival& arrival) : arrival_(arrival) {}
  void reset() override { address_ = words_ = 0; }
  void store(uint32_t offset, uint32_t value, PeripheralBus&) override {
    if (offset == kStreamAddress) address_ = value;
    if (offset == kStreamCounter) words_ = value;
  }
  uint32_t load(uint32_t offset, uint32_t stored, PeripheralBus&) override {
    return offset == kStat ? kFifoEmpty | kCacheReady : stored;
  }
  /// Starts the transfer to a DMA channel's `to`.
  void feed(uint32_t to, uint32_t words, PeripheralBus& bus) {
    if (words == 0 || std::exchange(words_, 0) != words)
      return bus.fault("a DMA channel waits for other words than the stream brings");
    if (bus.read(address_, words * 4).empty() || bus.write(to, words * 4).empty()) return;
    arrival_.start(address_, to, words * 4);
  }

 private:
  Arrival& arrival_;
  uint32_t address_ = 0, words_ = 0;
};

std::vector<ArrivalRegisters> registers_on(const DmaChip& chip, const DmaSource& fifo, uint32_t xip,
                                           Arrival& arrival) {
  std::vector<ArrivalRegisters> all;
  auto stream = std::make_unique<Stream>(arrival);
  auto channels = std::make_unique<DmaChannels>(
      chip, fifo, arrival, [&stream = *stream](uint32_t to, uint32_t words, PeripheralBus& bus) {
        stream.feed(to, words, bus);
      });
  all.push_back({xip, kRegistersBytes, std::move(stream)});
  all.push_back({DmaChannels::kAddress, DmaChannels::kBytes, std::move(channels)});
  return all;
}

}  // namespace

std::vector<ArrivalRegisters> rp2040_stream(Arrival& arrival) {
  return registers_on(kDmaOfRp2040, {0x50400000, 37}, 0x14000000, arrival);
}

std::vector<ArrivalRegisters> rp2350_stream(Arrival& arrival) {
  return registers_on(kDmaOfRp2350, {0x50500000, 49}, 0x400C8000, arrival);
}

}  // namespace tinytune
