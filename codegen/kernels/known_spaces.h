// Spaces of kernels that were enumerated before.
//
// Choosing what fits asks equal layers for their kernels under one limit after another, and
// enumerating them takes most of that time. All of it goes when it becomes too much.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace tinytune {

/// Thread-safe: nothing is locked while a space is enumerated.
class KnownSpaces {
 public:
  /// owner.space().
  std::shared_ptr<const ConfigSpace> of(const KernelTemplate& owner, const Workload& workload,
                                        const Device& device);

  /// space_of().
  std::shared_ptr<const ConfigSpace> of(const Workload& workload, const Device& device);

 private:
  template <typename Enumerate>
  std::shared_ptr<const ConfigSpace> known(const std::string& key, const Enumerate& enumerate);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ConfigSpace>> spaces_;
  size_t points_ = 0;  // in all of them
};

}  // namespace tinytune
