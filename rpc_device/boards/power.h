// A board's power switch: a user-supplied command, such as a USB hub's or a relay's.
//
// It is used only if a reset over the link does not help. It must leave the board ready for a new
// session: a serial board with its runner loaded.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "tinytune/result.h"

namespace tinytune {

/// Runs `command` in a shell for a minute at most. kDeviceLost: it failed; the message has its last
/// output.
Status switch_off_and_on(const std::string& command);

/// Repeats `attempt` until it succeeds, for 20 s at most, and returns its result: after power-on,
/// USB takes seconds to find a board, and its name in /dev does not exist before.
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
