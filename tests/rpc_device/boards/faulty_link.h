// A ByteLink that injects the faults of bad cables and weak power supplies, seeded so that failures
// can be reproduced.
//
// Each kind of fault has a probability of its own, so that none is rare because others are
// frequent. Line faults strike frames: a request, or the first bytes received after one. Power
// faults strike trials, during one of their first requests.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune::test {

/// Rates and counts of faults, over every link of a run.
class Faults {
 public:
  explicit Faults(uint64_t seed) : rng(seed) {}

  Rng rng;
  double line_rate = 0;   ///< share of frames, for each kind of line fault
  double power_rate = 0;  ///< share of trials, for each kind of power fault
  /// Interrupts the board's power for a moment; required unless power_rate is 0.
  std::function<void()> reset_board;

  uint64_t frames = 0, dropped = 0, doubled = 0, damaged = 0, delayed = 0, garbage = 0, silent = 0;
  uint64_t trials = 0, resets = 0, brown_outs = 0;

  void begin_trial() {
    ++trials;
    for (auto* due : {&reset_due_, &brown_out_due_})
      if (!*due && rng.uniform() < power_rate) *due = rng.below(kPowerFailsWithin);
  }
  /// Whether the power fails before this request, or (a brown-out) during it; counts the fault.
  bool resets_now() { return is_now(reset_due_, resets); }
  bool browns_out_now() { return is_now(brown_out_due_, brown_outs); }
  /// Whether a line fault of this kind strikes this frame; counts the fault.
  bool strikes(uint64_t Faults::*kind) {
    const bool struck = rng.uniform() < line_rate;
    this->*kind += struck ? 1 : 0;
    return struck;
  }

 private:
  static constexpr uint64_t kPowerFailsWithin = 3;  // requests; every trial has at least as many

  static bool is_now(std::optional<uint64_t>& due, uint64_t& count) {
    if (!due) return false;
    if (*due > 0) {
      --*due;
      return false;
    }
    due.reset();
    ++count;
    return true;
  }

  std::optional<uint64_t> reset_due_, brown_out_due_;  ///< requests until the fault
};

class FaultyLink final : public ByteLink {
 public:
  FaultyLink(std::unique_ptr<ByteLink> link, std::shared_ptr<Faults> faults)
      : link_(std::move(link)), faults_(std::move(faults)) {}

  Status write(std::span<const uint8_t> bytes) override {
    reply_is_next_ = true;
    if (faults_->resets_now()) faults_->reset_board();
    if (faults_->browns_out_now()) {
      TT_TRY(link_->write(bytes.first(faults_->rng.below(bytes.size()))));
      faults_->reset_board();
      return ok_status();
    }
    return is_silent() ? ok_status() : link_->write(spoiled({bytes.begin(), bytes.end()}));
  }

  Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) override {
    if (waiting_.empty()) {
      TT_TRY_ASSIGN(const size_t got, link_->read(bytes, timeout));
      if (got == 0 || is_silent()) return size_t{0};
      waiting_.assign(bytes.begin(), bytes.begin() + static_cast<long>(got));
      if (std::exchange(reply_is_next_, false)) waiting_ = spoiled(std::move(waiting_));
    }
    const size_t size = std::min(bytes.size(), waiting_.size());
    std::copy_n(waiting_.begin(), size, bytes.begin());
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<long>(size));
    return size;
  }

 private:
  using Bytes = std::vector<uint8_t>;
  using Clock = std::chrono::steady_clock;

  bool is_silent() const { return Clock::now() < silent_until_; }

  Bytes spoiled(Bytes frame) {
    Faults& f = *faults_;
    ++f.frames;
    if (f.strikes(&Faults::silent)) {
      silent_until_ = Clock::now() + std::chrono::milliseconds(1 + f.rng.below(50));
      frame.clear();
    }
    if (f.strikes(&Faults::delayed))
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + f.rng.below(20)));
    if (f.strikes(&Faults::damaged) && !frame.empty())
      frame[f.rng.below(frame.size())] ^= static_cast<uint8_t>(1 + f.rng.below(255));
    if (f.strikes(&Faults::dropped) && !frame.empty()) frame.resize(f.rng.below(frame.size()));
    if (f.strikes(&Faults::doubled)) {
      const Bytes once = frame;
      frame.insert(frame.end(), once.begin(), once.end());
    }
    if (f.strikes(&Faults::garbage)) {
      Bytes noise(1 + f.rng.below(40));
      for (uint8_t& byte : noise) byte = static_cast<uint8_t>(f.rng.next());
      frame.insert(frame.begin(), noise.begin(), noise.end());
    }
    return frame;
  }

  std::unique_ptr<ByteLink> link_;
  std::shared_ptr<Faults> faults_;
  Bytes waiting_;
  bool reply_is_next_ = false;
  Clock::time_point silent_until_;
};

}  // namespace tinytune::test
