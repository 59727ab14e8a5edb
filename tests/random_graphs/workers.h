// Processes numbered items in forked processes, so that a crash is only one item's result.
//
// Kernels cannot be built concurrently in one process (LLVM's switches are global), and a failed
// check aborts. The parent stays single-threaded and does nothing but read: if a process ends or
// stalls, its current item is lost, and a new process continues with the next one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tinytune::bench {

/// Runs in a worker. The text may hold any bytes.
using Work = std::function<std::string(uint64_t item)>;

struct Answer {
  bool lost = false;  ///< the process died or stalled; then `text` says how
  std::string text;
};

/// Calls `on_answer` once for each item, in no particular order.
void work_in_processes(uint64_t first, uint64_t count, int processes, const Work& work,
                       const std::function<void(uint64_t item, const Answer&)>& on_answer);

}  // namespace tinytune::bench
