#include "deploy/selection/estimated_kernels.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "codegen/kernels/kernel_key.h"
#include "deploy/selection/kernel_count.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "schedules/layer_hash.h"

namespace tinytune {
namespace {

constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

/// Counts the candidate kernels of one layer.
class Estimates {
 public:
  Estimates(const Workload& workload, const LayerData& data, const Device& device,
            const LayerPlace& place, std::span<const EstimatedKernel> also)
      : workload_(workload), data_(data), device_(device), place_(place), also_(also) {}

  std::vector<EstimatedKernel> fastest_first() {
    const std::vector<Family> families = permitted_families();
    if (also_.empty() && families.size() == 1 && is_only_choice(families[0])) {
      constexpr uint64_t kUsually = 4;  // cycles a product, from 1 to 13
      return {{families[0].usual.schedule, kUsually * static_cast<uint64_t>(workload_.macs()),
               packed_bytes(families[0].usual.constants)}};
    }
    for (const EstimatedKernel& known : also_)
      if (const auto kernel = packed(known.schedule)) add(*kernel, known.cycles);
    for (const Family& family : families) add(family.usual);
    if (place_.bytes_count)
      for (const Family& family : families) add_smaller(family);
    for (const Family& family : families)
      if (gains_by_scratch(family.usual.schedule))
        add_leaner(family.usual.schedule, family.fallbacks);
    std::stable_sort(
        kernels_.begin(), kernels_.end(),
        [](const EstimatedKernel& a, const EstimatedKernel& b) { return a.cycles < b.cycles; });
    return std::move(kernels_);
  }

 private:
  /// A template's defaults: the first that these constants permit, and those after it.
  struct Family {
    PackedSchedule usual;
    std::vector<Schedule> fallbacks;
    bool general = false;
  };

  std::optional<PackedSchedule> packed(const Schedule& schedule) const {
    auto constants = (*find_template(schedule))->pack(workload_, data_, schedule);
    if (!constants) return std::nullopt;
    return PackedSchedule{schedule, std::move(constants).value()};
  }

  /// Returns whether the only kernel need not be counted: it is general, so that its build would
  /// take longest, and its scratch does not enlarge the arena.
  bool is_only_choice(const Family& family) const {
    return family.general && scratch(family.usual.schedule) <= place_.free_scratch;
  }

  /// Keeps general templates only if there are no others, if sums are too short for the methods of
  /// others to pay, or if bytes count and theirs are fewest.
  std::vector<Family> permitted_families() const {
    std::vector<Family> families;
    for (const Schedule& schedule : default_schedules_of(workload_, device_)) {
      const bool again = !families.empty() &&
                         families.back().usual.schedule.template_name() == schedule.template_name();
      if (again) {
        families.back().fallbacks.push_back(schedule);
      } else if (auto usual = packed(schedule)) {
        families.push_back({std::move(*usual), {}, (*find_template(schedule))->general});
      }
    }
    uint64_t fewest = kNone;  // bytes, of templates for this core
    for (const Family& family : families)
      if (!family.general) fewest = std::min(fewest, packed_bytes(family.usual.constants));
    constexpr int64_t kShort = 8;  // products a sum
    if (fewest != kNone && workload_.reduction() > kShort)
      std::erase_if(families, [&](const Family& family) {
        const bool is_small = place_.bytes_count && packed_bytes(family.usual.constants) < fewest;
        return family.general && !is_small;
      });
    return families;
  }

  uint32_t scratch(const Schedule& schedule) const { return scratch_bytes_of(workload_, schedule); }

  uint64_t fewest() const {
    uint64_t fewest = kNone;
    for (const EstimatedKernel& kernel : kernels_) fewest = std::min(fewest, kernel.cycles);
    return fewest;
  }

  void add(const PackedSchedule& kernel, uint64_t known_cycles = 0) {
    constexpr uint64_t kHopeless = 3;  // times the fastest
    if (!seen_.insert(to_text(kernel.schedule)).second) return;
    const uint64_t bytes = packed_bytes(kernel.constants);
    if (known_cycles > 0) return kernels_.push_back({kernel.schedule, known_cycles, bytes});
    const uint64_t best = fewest();
    const uint64_t at_most = best > kNone / kHopeless ? kNone : best * kHopeless;
    if (const auto cycles = counted_cycles(workload_, kernel.schedule, kernel.constants, device_,
                                           place_.constants_in_flash, at_most))
      kernels_.push_back({kernel.schedule, *cycles, bytes});
  }

  /// Returns whether this counted kernel enlarges the arena and no kernel with less scratch is as
  /// fast (if bytes count: no such kernel with at most as many constant bytes).
  bool gains_by_scratch(const Schedule& schedule) const {
    const uint64_t wanted = scratch(schedule);
    const auto counted = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& kernel) {
      return kernel.schedule == schedule;
    });
    return counted != kernels_.end() && wanted > place_.free_scratch &&
           std::none_of(kernels_.begin(), kernels_.end(), [&](const EstimatedKernel& other) {
             return other.cycles <= counted->cycles && scratch(other.schedule) < wanted &&
                    (!place_.bytes_count || other.constant_bytes <= counted->constant_bytes);
           });
  }

  /// Adds the first fallback with fewer constant bytes.
  void add_smaller(const Family& family) {
    const uint64_t usual = packed_bytes(family.usual.constants);
    for (const Schedule& fallback : family.fallbacks)
      if (const auto kernel = packed(fallback); kernel && packed_bytes(kernel->constants) < usual)
        return add(*kernel);
  }

  /// Counts variants with 2/3, 1/2, 1/4 and 1/8 of the scratch (plus the few bytes that do not
  /// depend on tiles: a pixel of the border, steps beyond the reduction), and with the free
  /// scratch; for strips in finer steps.
  void add_leaner(const Schedule& schedule, const std::vector<Schedule>& fallbacks) {
    const ConfigSpace own = (*find_template(schedule))->space(workload_, device_);
    const uint64_t wanted = scratch(schedule), least = std::max(place_.free_scratch, place_.grain);
    constexpr uint64_t kNotInProportion = 64;
    std::vector<uint64_t> rooms;
    if (place_.in_strips)
      for (uint64_t room = wanted * 4 / 5; room > wanted / 8; room = room * 4 / 5)
        rooms.push_back(room);
    else
      for (const uint64_t room : {wanted * 2 / 3, wanted / 2, wanted / 4, wanted / 8})
        rooms.push_back(room + kNotInProportion);
    std::erase_if(rooms, [&](uint64_t room) { return room <= least; });
    rooms.push_back(place_.free_scratch);
    for (const uint64_t room : rooms)
      if (const auto lean = permitted_within(own, schedule, fallbacks, room)) add(*lean);
  }

  /// Returns a permitted variant within `room`. The template's own fallbacks, which are known to be
  /// good, come before the nearest schedules.
  std::optional<PackedSchedule> permitted_within(const ConfigSpace& own, const Schedule& schedule,
                                                 const std::vector<Schedule>& fallbacks,
                                                 uint64_t room) const {
    for (const Schedule& fallback : fallbacks)
      if (scratch(fallback) <= room && scratch(fallback) > room / 2)
        if (auto lean = packed(fallback)) return lean;
    for (const Schedule& near : nearest_within(own, workload_, schedule, room))
      if (auto lean = packed(near)) return lean;
    return std::nullopt;
  }

  const Workload& workload_;
  const LayerData& data_;
  const Device& device_;
  const LayerPlace& place_;
  const std::span<const EstimatedKernel> also_;
  std::vector<EstimatedKernel> kernels_;
  std::set<std::string> seen_;  // texts of schedules
};

}  // namespace

std::vector<EstimatedKernel> estimated_kernels(const Workload& workload, const LayerData& data,
                                               const Device& device, const LayerPlace& place,
                                               std::span<const EstimatedKernel> also) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<EstimatedKernel>> known;
  constexpr size_t kMost = 1 << 12;
  std::string key = kernel_key(device) + to_text(workload) + " " + hash_text(data) + " " +
                    std::to_string(place.free_scratch) + " " + std::to_string(place.grain) +
                    (place.constants_in_flash ? " flash" : " fast") +
                    (place.bytes_count ? " few" : "") + (place.in_strips ? " strips" : "");
  for (const EstimatedKernel& one : also)
    key += " " + to_text(one.schedule) + " " + std::to_string(one.cycles);
  const std::lock_guard lock(mutex);
  if (const auto at = known.find(key); at != known.end()) return at->second;
  if (known.size() >= kMost) known.clear();
  return known[key] = Estimates(workload, data, device, place, also).fastest_first();
}

uint64_t reload_cycles(const EstimatedKernel& kernel, const Device& device,
                       bool constants_in_flash) {
  if (!constants_in_flash && !device.fast_rodata_memories.empty()) return 0;
  constexpr uint64_t kCodeBytes = 2048;  // about the code of a kernel
  const MemoryRegion& flash = device.memory(device.rodata_memory);
  for (const CacheModel& cache : device.caches)
    if (cache.name == flash.read_cache)
      return (kernel.constant_bytes + kCodeBytes) * flash.fill_cycles / cache.line_bytes;
  return 0;
}

Result<PackedSchedule> usual_kernel(const Workload& workload, const LayerData& data,
                                    const Device& device) {
  const auto kernels = estimated_kernels(workload, data, device, {});
  if (kernels.empty()) return permitted_default_of(workload, data, device);
  const Schedule& fastest = kernels.front().schedule;
  TT_TRY_ASSIGN(auto packed, (*find_template(fastest))->pack(workload, data, fastest));
  return PackedSchedule{fastest, std::move(packed)};
}

}  // namespace tinytune
