// Timeout after which a request is sent again.
//
// As in TCP (RFC 6298): the smoothed reply time plus four times its deviation. Each timeout
// multiplies the next by 1.5 until a reply comes: on a line slower than its nominal rate, repeats
// would only put more bytes before the answer. TCP doubles, but a cable that loses every other
// frame is not congested, and doubling would then wait without bound.
//
// Replies contain the attempt that they answer, so a late reply to the first attempt is not taken
// for a quick one to the second, and a slow line is distinguished from one that loses frames.
#pragma once

#include <algorithm>
#include <chrono>

namespace tinytune::serial {

class ReplyWait {
 public:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  /// Limits of the timeout.
  static constexpr Milliseconds kLeast{10}, kMost{5'000};

  /// `first`: timeout before the first measurement.
  explicit ReplyWait(Milliseconds first) : first_(first) {}

  Milliseconds now() const {
    const Milliseconds estimate = measured_ ? time_ + 4 * deviation_ : first_;
    return std::min(kMost, std::max(kLeast, estimate) * growth_);
  }

  /// Notes that an attempt was answered `time` after it was sent.
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

  /// Notes that no reply came within now().
  void not_answered() {
    if (now() < kMost) growth_ *= 1.5;
  }

 private:
  Milliseconds first_, time_{0}, deviation_{0};
  bool measured_ = false;
  double growth_ = 1;
};

}  // namespace tinytune::serial
