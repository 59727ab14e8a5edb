// The command line of `tune`: options in, an exit code out.
#pragma once

#include <atomic>

namespace tinytune {

/// `cancel` becomes true when the user interrupts.
int run_cli(int argc, const char* const* argv, const std::atomic<bool>& cancel);

}  // namespace tinytune
