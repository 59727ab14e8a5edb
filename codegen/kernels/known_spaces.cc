#include "codegen/kernels/known_spaces.h"

#include <utility>

#include "codegen/kernels/kernel_key.h"
#include "schedules/layer_hash.h"

namespace tinytune {
namespace {

constexpr size_t kMostPoints = 1 << 20;  // some 64 bytes each

// Spaces also depend on the fast memories for weights.
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

template <typename Answer, typename Make>
Answer KnownSpaces::remembered(std::map<std::string, Answer>& answers, size_t most,
                               const std::string& key, const Make& make) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = answers.find(key); at != answers.end()) return at->second;
  }
  Answer answer = make();
  const std::lock_guard lock(mutex_);
  if (answers.size() >= most) answers.clear();
  answers[key] = answer;
  return answer;
}

std::optional<uint64_t> KnownSpaces::packed_bytes(const KernelTemplate& owner,
                                                  const Workload& workload, const LayerData& data,
                                                  const Schedule& schedule) {
  const std::string key = to_text(workload) + " " + to_text(schedule) + " " + hash_text(data);
  return remembered(packed_, 1 << 16, key, [&]() -> std::optional<uint64_t> {
    const auto packed = owner.pack(workload, data, schedule);
    return packed ? std::optional(tinytune::packed_bytes(*packed)) : std::nullopt;
  });
}

std::shared_ptr<const std::vector<Schedule>> KnownSpaces::defaults_of(const Workload& workload,
                                                                      const Device& device) {
  return remembered(defaults_, 1 << 12, key_of(device, workload), [&] {
    return std::make_shared<const std::vector<Schedule>>(default_schedules_of(workload, device));
  });
}

std::shared_ptr<const ConfigSpace> KnownSpaces::of(const Workload& workload, const Device& device) {
  return known("all " + key_of(device, workload), [&] { return space_of(workload, device); });
}

}  // namespace tinytune
