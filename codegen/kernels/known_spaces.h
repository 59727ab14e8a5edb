// Caches enumerated spaces of kernels, and the sizes of packed constants.
//
// Fitting a network to a device asks equal layers for their kernels under one limit after another.
// Enumerating them, and proving that a layer's constants permit one, would take most of that time.
// A full cache is emptied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/layer_data.h"
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

  /// default_schedules_of().
  std::shared_ptr<const std::vector<Schedule>> defaults_of(const Workload& workload,
                                                           const Device& device);

  /// Total bytes of owner.pack(); nothing if these constants do not permit the schedule.
  std::optional<uint64_t> packed_bytes(const KernelTemplate& owner, const Workload& workload,
                                       const LayerData& data, const Schedule& schedule);

 private:
  template <typename Enumerate>
  std::shared_ptr<const ConfigSpace> known(const std::string& key, const Enumerate& enumerate);
  /// Returns the answer kept under `key`, else makes and keeps it. Drops all answers at `most`.
  template <typename Answer, typename Make>
  Answer remembered(std::map<std::string, Answer>& answers, size_t most, const std::string& key,
                    const Make& make);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ConfigSpace>> spaces_;
  size_t points_ = 0;  // in all of them
  std::map<std::string, std::shared_ptr<const std::vector<Schedule>>> defaults_;
  std::map<std::string, std::optional<uint64_t>> packed_;
};

}  // namespace tinytune
