// Work on numbered items in forked processes, so that what kills one item is a result as well.
//
// Kernels cannot be built side by side in one process (LLVM's switches are global), and a failed
// check aborts. The parent stays single-threaded and does nothing but read: a process that ends or
// stalls is charged to the item it was at, and another one goes on after it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tinytune::bench {

/// Done in a worker. The text may hold any bytes.
using Work = std::function<std::string(uint64_t item)>;

struct Answer {
  bool lost = false;  ///< the process died or stalled; then `text` says how
  std::string text;
};

/// Answers come in no particular order, each once.
void work_in_processes(uint64_t first, uint64_t count, int processes, const Work& work,
                       const std::function<void(uint64_t item, const Answer&)>& on_answer);

}  // namespace tinytune::bench
