// A ByteLink that does to bytes what bad cables do: seeded, so that a failure can be seen again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/rng.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune::test {

/// Counted over every link of a run.
struct Faults {
  explicit Faults(uint64_t seed) : rng(seed) {}

  Rng rng;
  double rate = 0.1;  ///< of one call of read or write
  /// Asked about once in `between_resets` calls, if set: the board loses its power for a moment.
  std::function<void()> reset_board;
  uint64_t between_resets = 2'000;
  uint64_t dropped = 0, doubled = 0, damaged = 0, delayed = 0, garbage = 0, hung = 0, reset = 0;
};

class FaultyLink final : public ByteLink {
 public:
  FaultyLink(std::unique_ptr<ByteLink> link, std::shared_ptr<Faults> faults)
      : link_(std::move(link)), faults_(std::move(faults)) {}

  Status write(std::span<const uint8_t> bytes) override {
    Faults& f = *faults_;
    if (f.reset_board && f.rng.below(f.between_resets) == 0) {
      ++f.reset;
      f.reset_board();
    }
    for (const auto& part : spoiled({bytes.begin(), bytes.end()})) TT_TRY(link_->write(part));
    return ok_status();
  }

  Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) override {
    if (waiting_.empty()) {
      TT_TRY_ASSIGN(const size_t got, link_->read(bytes, timeout));
      if (got == 0) return got;
      for (const auto& part : spoiled({bytes.begin(), bytes.begin() + static_cast<long>(got)}))
        waiting_.insert(waiting_.end(), part.begin(), part.end());
    }
    const size_t size = std::min(bytes.size(), waiting_.size());
    std::copy_n(waiting_.begin(), size, bytes.begin());
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<long>(size));
    return size;
  }

 private:
  using Bytes = std::vector<uint8_t>;

  std::vector<Bytes> spoiled(Bytes bytes) {
    Faults& f = *faults_;
    if (hangs_ > 0) {  // nothing gets through for a while
      --hangs_;
      return {};
    }
    if (bytes.empty() || f.rng.uniform() >= f.rate) return {bytes};
    const size_t at = f.rng.below(bytes.size());
    switch (f.rng.below(6)) {
      case 0:
        ++f.dropped;
        bytes.erase(bytes.begin() + static_cast<long>(at), bytes.end());
        return {bytes};
      case 1:
        ++f.doubled;
        return {bytes, bytes};
      case 2:
        ++f.damaged;
        bytes[at] ^= static_cast<uint8_t>(1 + f.rng.below(255));
        return {bytes};
      case 3:
        ++f.delayed;
        std::this_thread::sleep_for(std::chrono::milliseconds(1 + f.rng.below(20)));
        return {bytes};
      case 4: {
        ++f.garbage;
        Bytes noise(1 + f.rng.below(40));
        for (uint8_t& byte : noise) byte = static_cast<uint8_t>(f.rng.next());
        return {noise, bytes};
      }
      default:
        ++f.hung;
        hangs_ = 1 + f.rng.below(3);
        return {};
    }
  }

  std::unique_ptr<ByteLink> link_;
  std::shared_ptr<Faults> faults_;
  Bytes waiting_;
  uint64_t hangs_ = 0;
};

}  // namespace tinytune::test
