// Caches compiled kernels, object files and enumerated spaces of one network.
//
// Choosing what fits a device builds networks that differ in a few kernels and places. A kernel or
// a source file that comes up again with the same text for the same core is not compiled again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/kernels/kernel.h"
#include "codegen/kernels/known_spaces.h"
#include "devices/device.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// Thread-safe if the compilers are: no lock is held while they run. Errors are not cached.
class BuildCache {
 public:
  /// compile_kernel().
  Result<CompiledKernel> kernel(const Workload& workload, const Schedule& schedule,
                                const Device& device, const std::string& symbol, Emit emit);

  /// Returns the bytes of the kernel's code, linked by itself.
  Result<uint64_t> code_bytes(const Workload& workload, const Schedule& schedule,
                              const Device& device);

  /// Returns the object that `compile` makes, or made earlier, of a file with these texts: its own
  /// and those of its includes. Ignores comments and the text of `#error` lines.
  Result<std::vector<uint8_t>> object(const std::string& name, const std::string& texts,
                                      const Device& device,
                                      const std::function<Result<std::vector<uint8_t>>()>& compile);

  /// Enumerated configuration spaces.
  KnownSpaces& spaces() { return spaces_; }

 private:
  void make_room(uint64_t bytes);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const CompiledKernel>> kernels_;
  std::map<std::string, std::shared_ptr<const std::vector<uint8_t>>> objects_;
  uint64_t bytes_ = 0;  ///< bytes cached; above the limit the cache is emptied
  KnownSpaces spaces_;
};

}  // namespace tinytune
