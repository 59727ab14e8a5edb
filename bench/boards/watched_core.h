// A RemoteCore that counts bytes written through it, separately for what the memory map calls RAM.
// A trial must never write to anything else of a board: flash, ROM, registers.
#pragma once

#include <memory>
#include <utility>

#include "devices/board_facts.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune {

struct WriteCounts {
  uint64_t to_ram = 0, elsewhere = 0;  ///< bytes, including those that the board makes from a seed
};

class WatchedCore final : public RemoteCore {
 public:
  /// `counts` outlives the core.
  WatchedCore(std::unique_ptr<RemoteCore> core, Device device, BoardFacts facts,
              WriteCounts& counts)
      : core_(std::move(core)),
        device_(std::move(device)),
        facts_(std::move(facts)),
        counts_(counts) {}

  const CoreTraits& traits() const override { return core_->traits(); }
  Status write(uint32_t address, std::span<const uint8_t> bytes) override {
    count(address, bytes.size());
    return core_->write(address, bytes);
  }
  Status fill(uint32_t address, uint32_t size_bytes, const Contents& contents) override {
    count(address, size_bytes);
    return core_->fill(address, size_bytes, contents);
  }
  Status copy(uint32_t from, uint32_t to, uint32_t size_bytes) override {
    count(to, size_bytes);
    return core_->copy(from, to, size_bytes);
  }
  Result<std::vector<uint8_t>> read(uint32_t address, uint32_t size_bytes) override {
    return core_->read(address, size_bytes);
  }
  Result<std::vector<Digest>> digests(std::span<const AddressRange> ranges) override {
    return core_->digests(ranges);
  }
  Result<CoreReturn> call(const CoreCall& call) override { return core_->call(call); }
  Status ask(const CoreCall& call) override { return core_->ask(call); }
  Result<CoreReturn> answer() override { return core_->answer(); }
  Status reset() override { return core_->reset(); }

 private:
  void count(uint32_t address, uint64_t size_bytes) {
    (facts_.may_write(device_, address, size_bytes) ? counts_.to_ram : counts_.elsewhere) +=
        size_bytes;
  }

  const std::unique_ptr<RemoteCore> core_;
  const Device device_;
  const BoardFacts facts_;
  WriteCounts& counts_;
};

}  // namespace tinytune
