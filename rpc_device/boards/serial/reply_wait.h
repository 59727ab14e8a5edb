// How long a reply is waited for before its request is sent again.
//
// As TCP does (RFC 6298): the smoothed time of replies and four times their deviation. Each wait
// without a reply is half as long again as the one before it, until one comes: on a line that is
// slower than it says, repeating would only put more bytes before the answer. TCP doubles; but a
// cable that loses every other frame is not congested, and doubling would then wait without bound.
//
// Replies say which attempt they answer, so a late one to the first is not taken for a quick one to
// the second, and a line that is slow is told from one that loses.
#pragma once

#include <algorithm>
#include <chrono>

namespace tinytune::serial {

class ReplyWait {
 public:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  /// Of the wait, whatever was measured.
  static constexpr Milliseconds kLeast{10}, kMost{5'000};

  /// `first`: before anything was measured.
  explicit ReplyWait(Milliseconds first) : first_(first) {}

  Milliseconds now() const {
    const Milliseconds estimate = measured_ ? time_ + 4 * deviation_ : first_;
    return std::min(kMost, std::max(kLeast, estimate) * growth_);
  }

  /// An attempt was answered `time` after it was sent.
  void answered(Milliseconds time) {
    growth_ = 1;
    if (!measured_) {
      measured_ = true;
      time_ = time;
      deviation_ = time / 2;
      return;
    }
    const Milliseconds off = time > time_ ? time - time_ : time_ - time;
    deviation_ += (off - deviation_) / 4;
    time_ += (time - time_) / 8;
  }

  /// Nothing came in now().
  void not_answered() {
    if (now() < kMost) growth_ *= 1.5;
  }

 private:
  Milliseconds first_, time_{0}, deviation_{0};
  bool measured_ = false;
  double growth_ = 1;
};

}  // namespace tinytune::serial
