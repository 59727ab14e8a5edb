// The preload unit of the ESP32-C3's cache, which fetches lines ahead, as far as the driver of
// generated libraries uses it. Registers by esp-idf, soc/esp32c3 extmem_reg.h.
#include "simulator/arrival.h"

namespace tinytune {
namespace {

constexpr uint32_t kCache = 0x600C4000, kRegistersBytes = 0x1000;
constexpr uint32_t kControl = 0x34, kAddress = 0x38, kSize = 0x3C;
constexpr uint32_t kEnable = 1u << 0, kDone = 1u << 1, kMostBytes = 16384;

class Preload final : public Peripheral {
 public:
  explicit Preload(Arrival& arrival) : arrival_(arrival) {}
  void reset() override { address_ = size_bytes_ = 0; }

  void store(uint32_t offset, uint32_t value, PeripheralBus& bus) override {
    if (offset == kAddress) address_ = value;
    if (offset == kSize) size_bytes_ = value;
    if (offset != kControl || (value & kEnable) == 0) return;
    const uint32_t line = arrival_.way().piece_bytes;
    if (arrival_.moves()) return bus.fault("a preload is started before the last one has ended");
    if (address_ % line != 0 || size_bytes_ % line != 0 || size_bytes_ == 0 ||
        size_bytes_ > kMostBytes)
      return bus.fault("a preload takes whole lines, no more than the cache has");
    arrival_.start_fill(address_, size_bytes_);
  }

  uint32_t load(uint32_t offset, uint32_t stored, PeripheralBus&) override {
    if (offset != kControl) return stored;
    return arrival_.moves() ? stored & ~kDone : (stored & ~kEnable) | kDone;
  }

 private:
  Arrival& arrival_;
  uint32_t address_ = 0, size_bytes_ = 0;
};

}  // namespace

std::vector<ArrivalRegisters> esp32c3_preload(Arrival& arrival) {
  std::vector<ArrivalRegisters> all;
  all.push_back({kCache, kRegistersBytes, std::make_unique<Preload>(arrival)});
  return all;
}

}  // namespace tinytune
