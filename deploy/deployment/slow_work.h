// Progress messages of work that takes long.
//
// A search for strips builds and runs networks for half a minute. Its progress is reported at
// intervals; work that is done in a few seconds reports nothing.
#pragma once

#include <chrono>
#include <string>

#include "tinytune/tuning.h"

namespace tinytune {

class SlowWork {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{4000};

  /// `sink` may be empty, and must outlive this.
  explicit SlowWork(const MessageSink& sink, std::chrono::milliseconds interval = kInterval)
      : sink_(sink), interval_(interval) {}

  /// Sends `so_far()`, at most once per interval.
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
