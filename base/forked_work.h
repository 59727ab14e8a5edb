// Distributes independent pieces of work over processes.
//
// Compilers and emulators have global state, which threads would share, and may crash. A forked
// process is cheap for pieces of about a second: it starts with everything its parent has loaded,
// and a crash is limited to its piece.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// Calls work(0) to work(count - 1) in forked processes and returns their results in that order;
/// kFailed for a piece whose process ended without an answer. Uses at most `jobs` processes; each
/// takes the next piece when it has finished one. They end with this process. `on_done`, which may
/// be empty, is called with the number of finished pieces.
std::vector<Result<std::string>> divide_work(size_t count, size_t jobs,
                                             const std::function<std::string(size_t)>& work,
                                             const std::function<void(size_t)>& on_done = {});

}  // namespace tinytune
