// Detects whether a run is writing a log.
#pragma once

#include <string>

namespace tinytune {

/// Returns whether a tuner on this machine holds the log's lock, from the kernel's list of locks.
/// Trying the lock would hold it briefly, and a tuner that starts meanwhile would be refused.
bool is_written(const std::string& path);

}  // namespace tinytune
