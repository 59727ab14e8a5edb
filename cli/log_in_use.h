// Whether a run writes a log at the moment.
#pragma once

#include <string>

namespace tinytune {

/// Of a tuner on this machine. Read from the kernel's list of locks: to try the lock would hold it
/// for a moment, in which a tuner that starts would be refused.
bool is_written(const std::string& path);

}  // namespace tinytune
