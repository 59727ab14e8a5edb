// A board's power switch: a command of whoever set the board up, such as a USB hub's or a relay's.
//
// It is asked only where a reset over the link does not help, and has to leave the board as a new
// session wants it: for a serial board with its runner loaded.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "tinytune/result.h"

namespace tinytune {

/// Runs `command` in a shell; a minute at most. kDeviceLost: it failed, with its last words.
Status switch_off_and_on(const std::string& command);

/// What `attempt` says of a board that has its power again, tried until it is good: USB takes
/// seconds to find a board, and its name in /dev is not there before.
template <typename Attempt>
auto once_awake(Attempt attempt) {
  constexpr std::chrono::seconds kWakesWithin{20};
  const auto deadline = std::chrono::steady_clock::now() + kWakesWithin;
  while (true) {
    auto done = attempt();
    if (done || std::chrono::steady_clock::now() > deadline) return done;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace tinytune
