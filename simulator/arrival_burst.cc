// The flash interface (SSI) of RP2040 while it reads many words in one transfer, which a DMA
// channel takes, as far as the driver of generated libraries uses it. Registers by pico-sdk 2.2.0:
// hardware_regs ssi.h and dreq.h.
//
// The XIP unit uses the same interface for its misses. From when the driver disables the interface,
// to set the transfer's length, until it has restored it, a miss would get wrong bytes or no
// answer. So Engine ends a call that reads or executes flash then, even on hits, which are luck.
#include <utility>

#include "simulator/arrival.h"
#include "simulator/dma_channels.h"

namespace tinytune {
namespace {

constexpr uint32_t kSsi = 0x18000000, kRegistersBytes = 0x1000, kFlash = 0x10000000;
constexpr uint32_t kLength = 0x04, kEnable = 0x08, kDma = 0x4C, kData = 0x60, kFormat = 0xF4;
constexpr uint32_t kDmaBothWays = 3;
// As pico-sdk's boot2_w25q080.S leaves it: no command, 32 bits of address and mode, 4 wait clocks,
// four wires; and the mode in which the next read has no command either.
constexpr uint32_t kMode = 0xA0, kUsualFormat = kMode << 24 | 4u << 11 | 8u << 2 | 2u;

class Ssi final : public Peripheral {
 public:
  explicit Ssi(Arrival& arrival) : arrival_(arrival) {}
  void reset() override {
    more_words_ = dma_ = to_ = words_ = 0;
    enabled_ = true;
  }

  void store(uint32_t offset, uint32_t value, PeripheralBus& bus) override {
    if (offset == kEnable) return enable(value != 0, bus);
    if (offset == kData) return start(value, bus);
    if (offset != kLength && offset != kDma) return;
    if (enabled_) return bus.fault("a register of the flash interface is set while it is enabled");
    (offset == kLength ? more_words_ : dma_) = value;
  }

  uint32_t load(uint32_t offset, uint32_t stored, PeripheralBus&) override {
    return offset == kFormat ? kUsualFormat : stored;
  }

  void feed(uint32_t to, uint32_t words) {
    to_ = to;
    words_ = words;
  }

 private:
  void enable(bool on, PeripheralBus& bus) {
    if (!on && arrival_.moves()) return bus.fault("a burst is cut off before its last word");
    enabled_ = on;
    arrival_.lock_flash(!on || more_words_ != 0 || dma_ != 0);
  }

  void start(uint32_t value, PeripheralBus& bus) {
    const uint32_t from = kFlash + (value >> 8), words = std::exchange(words_, 0);
    if (!enabled_ || dma_ != kDmaBothWays || (value & 0xFF) != kMode)
      return bus.fault("the flash interface is not set up for a burst");
    if (words == 0 || words != more_words_ + 1)
      return bus.fault("a DMA channel waits for other words than the burst brings");
    if (bus.read(from, words * 4).empty() || bus.write(to_, words * 4).empty()) return;
    arrival_.start(from, to_, words * 4);
  }

  Arrival& arrival_;
  uint32_t more_words_ = 0, dma_ = 0;
  uint32_t to_ = 0, words_ = 0;  ///< for which a DMA channel waits
  bool enabled_ = true;
};

}  // namespace

std::vector<ArrivalRegisters> rp2040_burst(Arrival& arrival) {
  std::vector<ArrivalRegisters> all;
  auto ssi = std::make_unique<Ssi>(arrival);
  auto channels = std::make_unique<DmaChannels>(
      kDmaOfRp2040, DmaSource{kSsi + kData, 39, true}, arrival,
      [&ssi = *ssi](uint32_t to, uint32_t words, PeripheralBus&) { ssi.feed(to, words); });
  all.push_back({kSsi, kRegistersBytes, std::move(ssi)});
  all.push_back({DmaChannels::kAddress, DmaChannels::kBytes, std::move(channels)});
  return all;
}

}  // namespace tinytune
