// Independent pieces of work, divided among processes.
//
// Compilers and emulators keep state of their own, which threads would share and a fault would end.
// A process each is cheap where a piece takes a second: it starts with what its parent has loaded,
// and a piece that crashes fails alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// Calls work(0) to work(count - 1) in forked processes and returns their results in that order;
/// kFailed for one whose process ended without an answer. At most `jobs` processes, each of which
/// takes the next piece when it has done one; they end with this process. `on_done`, which may be
/// empty, hears how many pieces are done.
std::vector<Result<std::string>> divide_work(size_t count, size_t jobs,
                                             const std::function<std::string(size_t)>& work,
                                             const std::function<void(size_t)>& on_done = {});

}  // namespace tinytune
