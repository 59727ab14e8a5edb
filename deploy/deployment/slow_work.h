// Work that takes long, told of while it lasts.
//
// A search for strips builds and runs networks for half a minute. Whoever waits for it hears how
// far it has come, and of work that is done in a few seconds nothing.
#pragma once

#include <chrono>
#include <string>

#include "tinytune/tuning.h"

namespace tinytune {

class SlowWork {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{4000};

  /// `sink` may be empty, and outlives it.
  explicit SlowWork(const MessageSink& sink, std::chrono::milliseconds interval = kInterval)
      : sink_(sink), interval_(interval) {}

  /// Once an interval, `so_far` is told.
  template <typename SoFar>
  void step(const SoFar& so_far) {
    const auto now = Clock::now();
    if (!sink_ || now - told_ < interval_) return;
    told_ = now;
    sink_(MessageKind::kInfo, so_far());
  }

 private:
  const MessageSink& sink_;
  std::chrono::milliseconds interval_;
  Clock::time_point told_ = Clock::now();
};

}  // namespace tinytune
