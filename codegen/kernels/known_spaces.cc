#include "codegen/kernels/known_spaces.h"

#include <utility>

#include "codegen/kernels/kernel_key.h"
#include "schedules/layer_hash.h"

namespace tinytune {
namespace {

constexpr size_t kMostPoints = 1 << 20;  // some 64 bytes each

// Spaces depend on where weights are, too.
std::string key_of(const Device& device, const Workload& workload) {
  std::string key = kernel_key(device);
  for (const std::string& memory : device.fast_rodata_memories) key += memory + " ";
  return key + to_text(workload);
}

}  // namespace

template <typename Enumerate>
std::shared_ptr<const ConfigSpace> KnownSpaces::known(const std::string& key,
                                                      const Enumerate& enumerate) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = spaces_.find(key); at != spaces_.end()) return at->second;
  }
  auto space = std::make_shared<const ConfigSpace>(enumerate());
  const std::lock_guard lock(mutex_);
  points_ += space->size();
  if (points_ > kMostPoints) {
    spaces_.clear();
    points_ = space->size();
  }
  spaces_[key] = space;
  return space;
}

std::shared_ptr<const ConfigSpace> KnownSpaces::of(const KernelTemplate& owner,
                                                   const Workload& workload, const Device& device) {
  return known(std::string(owner.name) + "/" + std::to_string(owner.version) + " " +
                   key_of(device, workload),
               [&] { return owner.space(workload, device); });
}

std::optional<uint64_t> KnownSpaces::packed_bytes(const KernelTemplate& owner,
                                                  const Workload& workload, const LayerData& data,
                                                  const Schedule& schedule) {
  constexpr size_t kMost = 1 << 16;
  std::string key = to_text(workload) + " " + to_text(schedule) + " " + hash_text(data);
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = packed_.find(key); at != packed_.end()) return at->second;
  }
  std::optional<uint64_t> bytes;
  if (const auto packed = owner.pack(workload, data, schedule)) {
    bytes = 0;
    for (const PackedConstant& constant : *packed) *bytes += constant.bytes.size();
  }
  const std::lock_guard lock(mutex_);
  if (packed_.size() >= kMost) packed_.clear();
  packed_[std::move(key)] = bytes;
  return bytes;
}

std::shared_ptr<const std::vector<Schedule>> KnownSpaces::defaults_of(const Workload& workload,
                                                                      const Device& device) {
  constexpr size_t kMost = 1 << 12;
  const std::string key = key_of(device, workload);
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = defaults_.find(key); at != defaults_.end()) return at->second;
  }
  auto defaults =
      std::make_shared<const std::vector<Schedule>>(default_schedules_of(workload, device));
  const std::lock_guard lock(mutex_);
  if (defaults_.size() >= kMost) defaults_.clear();
  defaults_[key] = defaults;
  return defaults;
}

std::shared_ptr<const ConfigSpace> KnownSpaces::of(const Workload& workload, const Device& device) {
  return known("all " + key_of(device, workload), [&] { return space_of(workload, device); });
}

}  // namespace tinytune
