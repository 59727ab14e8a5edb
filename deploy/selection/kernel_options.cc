#include "deploy/selection/kernel_options.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "deploy/selection/estimated_kernels.h"
#include "deploy/selection/fast_memory.h"
#include "deploy/selection/flash_worth.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

/// Gathers the options of one group, the fastest first.
class Gatherer {
 public:
  Gatherer(const NetworkMemory& memory, const LayerGroup& group, const Device& device,
           BuildCache& builds, const Records& records, const KernelLimits& limits,
           const FlashWaits& waits, bool constants_in_flash, double worth_of_byte)
      : memory_(memory),
        group_(group),
        device_(device),
        builds_(builds),
        spaces_(builds.spaces()),
        records_(records),
        limits_(limits),
        waits_(waits),
        constants_in_flash_(constants_in_flash),
        layer_(memory.layers[group.layers[0]]),
        workload_(layer_.op.workload),
        price_{worth_of_byte} {
    for (const size_t layer : group.layers)
      calls_ += static_cast<uint64_t>(memory.layers[layer].calls);
  }

  Result<TaskOptions> gather(Unmeasured unmeasured) {
    for (const size_t layer : group_.layers)
      task_.live_bytes = std::max(task_.live_bytes, memory_.layers[layer].live_bytes);
    if (layer_.is_half) task_.at_once = 2;
    for (const size_t layer : group_.layers)
      if (is_strip()) task_.strips_of.insert(memory_.layers[layer].index);
    TT_TRY(offer_measured());
    price_ = {};  // unmeasured kernels have no code size
    if (unmeasured == Unmeasured::kOffered) TT_TRY(offer_unmeasured());
    offer_pairs();
    std::stable_sort(
        task_.options.begin(), task_.options.end(),
        [](const KernelOption& a, const KernelOption& b) { return a.cycles < b.cycles; });
    return std::move(task_);
  }

 private:
  Status offer_measured() {
    if (records_.are_of_other_memory()) return ok_status();
    TT_TRY(offer_records_of(group_.workload, 1));
    // An unmeasured strip is assumed to take its share of the whole layer's cycles.
    const auto& whole = layer_.strip_of;
    if (!whole || !task_.options.empty()) return ok_status();
    return offer_records_of(to_text(*whole), static_cast<double>(workload_.macs()) /
                                                 static_cast<double>(whole->macs()));
  }

  Status offer_records_of(const std::string& workload, double share) {
    price_.most_cycles = static_cast<double>(first_cycles(records_, workload) * calls_) * share;
    for (const Measurement* m : records_.fastest_first(workload)) {
      const Result<Schedule> schedule = parse_schedule(m->schedule);
      if (!schedule) continue;
      slowest_ = static_cast<uint64_t>(static_cast<double>(*m->median_cycles()) * share) + 1;
      if (share == 1) slowest_ = *m->median_cycles();
      TT_TRY(offer(*schedule, slowest_, &m->code));
    }
    return ok_status();
  }

  /// The first of these schedules that the weights permit, with its estimated cycles.
  struct Offer {
    uint64_t cycles;
    std::vector<Schedule> schedules;
  };

  /// Offers schedules without a record: counted ones, then the others in their order. Counts are
  /// scaled so that the log's best has its measured cycles. If it cannot be counted, or if its
  /// waits depend on what is copied, counted ones come after it.
  Status offer_unmeasured() {
    std::vector<Offer> offers;
    const bool has_records = !task_.options.empty();
    if (!has_records || records_.fidelity() == Fidelity::kSimulate) {
      const std::vector<Offer> alike = has_records ? std::vector<Offer>() : known_elsewhere();
      std::vector<EstimatedKernel> also;
      for (const Offer& offer : alike) also.push_back({offer.schedules[0]});
      if (has_records && is_legal(task_.options.front().schedule, counted_for()))
        also.push_back({task_.options.front().schedule});
      offers = by_estimate(also);
      if (offers.empty()) offers = alike;
      if (has_records) scale(offers, task_.options.front());
    }
    const std::vector<Offer> counted = offers;
    for (const Offer& offer : counted) slowest_ = std::max(slowest_, offer.cycles);
    // A guess must not depend on whether other schedules fit, so empty offers also add cycles.
    for (Offer& offer : in_order()) {
      offer.cycles = slowest_ += static_cast<uint64_t>(workload_.macs());
      if (offer.schedules.empty()) continue;
      if (is_strip()) offer.cycles = std::min(offer.cycles, as_counted_ones(counted, offer) + 1);
      offers.push_back(std::move(offer));
    }
    std::stable_sort(offers.begin(), offers.end(),
                     [](const Offer& a, const Offer& b) { return a.cycles < b.cycles; });
    for (const Offer& offer : offers) TT_TRY(offer_one(offer.schedules, offer.cycles));
    return ok_status();
  }

  void scale(std::vector<Offer>& offers, const KernelOption& best) const {
    const uint64_t measured = best.cycles / calls_;
    double scale = 0;
    for (const Offer& offer : offers)
      if (offer.schedules[0] == best.schedule && device_.fast_rodata_memories.empty())
        scale = static_cast<double>(measured) / static_cast<double>(offer.cycles);
    std::erase_if(offers, [&](const Offer& offer) {
      return records_.find(group_.workload, to_text(offer.schedules[0])) != nullptr;
    });
    for (Offer& offer : offers)
      offer.cycles = scale > 0 ? static_cast<uint64_t>(scale * static_cast<double>(offer.cycles))
                               : std::max(offer.cycles, measured + 1);
  }

  /// Returns the defaults in the order of templates, each followed by its leaner neighbours.
  std::vector<Offer> in_order() const {
    std::vector<Offer> offers;
    const auto known = spaces_.defaults_of(workload_, device_);
    const std::vector<Schedule>& defaults = *known;
    for (const Schedule& usual : defaults) {
      offers.push_back({0, {usual}});
      offers.push_back({0, within_room(usual)});
    }
    if (!defaults.empty())
      offers.push_back(
          {0, nearest_within(*spaces_.of(workload_, device_), workload_, defaults.front(), 0)});
    return offers;
  }

  /// Returns the fastest legal schedules measured under other conditions: for this layer with its
  /// constants in another memory, and for other layers of its shape.
  std::vector<Offer> known_elsewhere() const {
    constexpr size_t kMost = 4;
    std::vector<Offer> offers;
    if (is_strip()) return offers;
    std::vector<const Measurement*> known;
    if (records_.are_of_other_memory()) known = records_.fastest_first(group_.workload);
    for (const Measurement* m : records_.of_shape(group_.workload)) known.push_back(m);
    for (const Measurement* m : known) {
      const Result<Schedule> schedule = parse_schedule(m->schedule);
      if (schedule && is_legal(*schedule, workload_))
        offers.push_back({*m->median_cycles(), {*schedule}});
      if (offers.size() == kMost) break;
    }
    return offers;
  }

  bool is_legal(const Schedule& schedule, const Workload& workload) const {
    const auto owner = find_template(schedule);
    return owner && (*owner)->supports(workload, device_) &&
           spaces_.of(**owner, workload, device_)->find(schedule).has_value();
  }

  /// Returns the workload whose kernels are counted: for a strip, the whole layer's.
  const Workload& counted_for() const { return is_strip() ? *layer_.strip_of : workload_; }

  /// Returns whether the layer is one of many strips. Halves for two cores are few and large, so
  /// their cycles are not estimated from the whole layer.
  bool is_strip() const { return layer_.strip_of && !layer_.is_half; }

  /// Returns the counted kernels. A strip's are assumed to take their share of the whole layer's
  /// cycles; for strips, leaner kernels are counted for many amounts of scratch.
  std::vector<Offer> by_estimate(const std::vector<EstimatedKernel>& also) const {
    const Workload& whole = counted_for();
    LayerPlace place{.constants_in_flash = constants_in_flash_};
    if (is_strip()) {
      place = place_of_strips(constants_in_flash_);
    } else {
      constexpr uint64_t kGrains = 64;
      place.free_scratch = free_scratch();
      place.grain = memory_.lower_bound / kGrains;
    }
    place.bytes_count = counts_bytes();
    const double share = static_cast<double>(workload_.macs()) / static_cast<double>(whole.macs());
    std::vector<EstimatedKernel> kernels =
        estimated_kernels(whole, layer_.op.data, device_, place, also);
    // The weights of the group's other layers may permit more schedules.
    for (size_t i = 1; i < group_.layers.size() && !layer_.strip_of; ++i)
      for (const EstimatedKernel& kernel : estimated_kernels(
               whole, memory_.layers[group_.layers[i]].op.data, device_, place, kernels))
        if (std::none_of(kernels.begin(), kernels.end(), [&](const EstimatedKernel& known) {
              return known.schedule == kernel.schedule;
            }))
          kernels.push_back(kernel);
    std::vector<Offer> offers;
    for (const EstimatedKernel& kernel : kernels)
      offers.push_back({static_cast<uint64_t>(static_cast<double>(kernel.cycles) * share) +
                            (is_strip() ? reload_cycles(kernel, device_, constants_in_flash_) : 0),
                        {kernel.schedule}});
    return offers;
  }

  /// Estimates an uncounted schedule of a strip by counted ones of its template: the fewest cycles
  /// of those with no more scratch, else the most cycles of the template. The template's default
  /// for the strip is taken to be as fast as the fastest, though the whole layer has other rows.
  uint64_t as_counted_ones(const std::vector<Offer>& counted, const Offer& offer) const {
    const Schedule& own = offer.schedules[0];
    const uint32_t room = scratch_bytes_of(workload_, own);
    const auto defaults = spaces_.defaults_of(workload_, device_);
    const auto usual = std::find_if(defaults->begin(), defaults->end(), [&](const Schedule& s) {
      return s.template_name() == own.template_name();
    });
    const bool is_usual = usual != defaults->end() && *usual == own;
    uint64_t fewest = kNone, most = 0;
    for (const Offer& known : counted) {
      const Schedule& other = known.schedules[0];
      if (other.template_name() != own.template_name()) continue;
      most = std::max(most, known.cycles);
      if (is_usual || scratch_bytes_of(workload_, other) <= room)
        fewest = std::min(fewest, known.cycles);
    }
    return fewest != kNone ? fewest : most > 0 ? most : kNone;
  }

  /// Returns schedules of the same template in the room that live tensors leave; none if `usual`
  /// fits or nothing does.
  std::vector<Schedule> within_room(const Schedule& usual) const {
    const uint64_t arena = *limits_.arena_bytes;
    const uint64_t room = arena - std::min<uint64_t>(arena, task_.live_bytes);
    if (scratch_bytes_of(workload_, usual) <= room) return {};
    const auto space = spaces_.of(**find_template(usual), workload_, device_);
    if (least_scratch_in(*space, workload_) > room) return {};
    return nearest_within(*space, workload_, usual, room);
  }

  Status offer_one(const std::vector<Schedule>& schedules, uint64_t cycles) {
    for (const Schedule& schedule : schedules) {
      const size_t before = task_.options.size();
      TT_TRY(offer(schedule, cycles, nullptr));
      if (task_.options.size() > before) break;
    }
    return ok_status();
  }

  /// Adds the schedule if every layer's weights permit it and no option dominates it in price and
  /// memory. If only some layers' weights permit it, it is kept for offer_pairs().
  Status offer(const Schedule& schedule, uint64_t cycles, const CodeFacts* measured) {
    KernelOption option{.schedule = schedule, .cycles = cycles * calls_};
    if (!is_legal(schedule, workload_)) return ok_status();
    option.scratch_bytes = scratch_bytes_of(workload_, schedule);
    const size_t copies = layer_.shares_constants ? 0 : group_.layers.size();
    if (measured != nullptr)
      option.flash_bytes = measured->code_bytes + copies * measured->constant_bytes;
    if (!counts_bytes() && is_beaten(option)) return ok_status();
    const bool of_all = add_constants(option);
    if (!of_all && (layer_.strip_of || group_.layers.size() == 1)) return ok_status();
    if (measured != nullptr) {
      option.flash_bytes = measured->code_bytes;
    } else if (limits_.flash_bytes) {
      TT_TRY_ASSIGN(option.flash_bytes, builds_.code_bytes(workload_, schedule, device_));
    }
    if (!of_all) {
      partial_.push_back(std::move(option));
    } else if (option.flash_bytes += option.constant_bytes; !is_beaten(option)) {
      keep(std::move(option));
    }
    return ok_status();
  }

  /// Adds pairs of kernels: one for the layers whose weights permit it, and one that all permit for
  /// the others, if that saves enough cycles to justify the code of both.
  void offer_pairs() {
    constexpr double kWorthOfCode = 0.98;  // a pair's cycles, at most, per cycle of a single kernel
    const std::vector<KernelOption> whole = task_.options;
    for (const KernelOption& some : partial_) {
      const uint64_t calls = calls_of_those_with(some.schedule);
      for (const KernelOption& other : whole) {
        if (calls == 0 || some.cycles >= other.cycles) continue;
        KernelOption pair = some;
        pair.otherwise = other.schedule;
        pair.cycles = some.cycles / calls_ * calls + other.cycles / calls_ * (calls_ - calls);
        pair.scratch_bytes = std::max(some.scratch_bytes, other.scratch_bytes);
        const auto is_as_good = [&](const KernelOption& one) {
          return one.scratch_bytes <= std::max<uint64_t>(pair.scratch_bytes, free_scratch()) &&
                 kWorthOfCode * static_cast<double>(one.cycles) < static_cast<double>(pair.cycles);
        };
        if (std::any_of(whole.begin(), whole.end(), is_as_good)) continue;
        add_constants(pair);
        pair.flash_bytes += pair.constant_bytes + other.flash_bytes - other.constant_bytes;
        if (!is_beaten(pair)) keep(std::move(pair));
      }
    }
  }

  /// Returns the bytes of scratch that do not enlarge the arena.
  uint64_t free_scratch() const { return memory_.lower_bound - task_.live_bytes; }

  bool counts_bytes() const { return limits_.flash_bytes || limits_.fast_ram_bytes; }

  /// Returns the packed bytes; nothing if the layer's weights do not permit the schedule.
  std::optional<uint64_t> packed_bytes(size_t layer, const Schedule& schedule) const {
    return spaces_.packed_bytes(**find_template(schedule), workload_, memory_.layers[layer].op.data,
                                schedule);
  }

  uint64_t calls_of_those_with(const Schedule& schedule) const {
    uint64_t calls = 0;
    for (const size_t layer : group_.layers)
      if (packed_bytes(layer, schedule))
        calls += static_cast<uint64_t>(memory_.layers[layer].calls);
    return calls;
  }

  /// Sets the bytes and waits of all layers' constants; returns false if the weights of one layer
  /// permit neither schedule.
  bool add_constants(KernelOption& option) const {
    double waits = 0;
    option.constant_bytes = 0;
    for (const size_t layer : group_.layers) {
      auto bytes = packed_bytes(layer, option.schedule);
      if (!bytes && option.otherwise) bytes = packed_bytes(layer, *option.otherwise);
      if (!bytes) return false;
      if (!memory_.layers[layer].shares_constants) option.constant_bytes += *bytes;
      option.largest_constant_bytes = std::max(option.largest_constant_bytes, *bytes);
      const auto wait = waits_.find(memory_.layers[layer].index);
      if (wait != waits_.end()) waits += wait->second * static_cast<double>(*bytes);
    }
    option.wait_cycles = static_cast<uint64_t>(waits);
    return true;
  }

  /// Compares flash, constants, and the constants of one layer, which other strips may share.
  static bool has_no_more_bytes(const KernelOption& a, const KernelOption& b) {
    return a.flash_bytes <= b.flash_bytes && a.constant_bytes <= b.constant_bytes &&
           a.largest_constant_bytes <= b.largest_constant_bytes;
  }

  bool is_beaten(const KernelOption& option) const {
    return std::any_of(task_.options.begin(), task_.options.end(), [&](const KernelOption& other) {
      return price_(other) <= price_(option) && other.scratch_bytes <= option.scratch_bytes &&
             (!counts_bytes() || has_no_more_bytes(other, option));
    });
  }

  /// Prefers less memory at equal prices.
  void keep(KernelOption option) {
    std::erase_if(task_.options, [&](const KernelOption& other) {
      return price_(option) <= price_(other) && option.scratch_bytes <= other.scratch_bytes &&
             (!counts_bytes() || has_no_more_bytes(option, other));
    });
    task_.options.push_back(std::move(option));
  }

  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max() - 1;

  const NetworkMemory& memory_;
  const LayerGroup& group_;
  const Device& device_;
  BuildCache& builds_;
  KnownSpaces& spaces_;
  const Records& records_;
  const KernelLimits& limits_;
  const FlashWaits& waits_;
  const bool constants_in_flash_;
  const NetworkMemory::Layer& layer_;  ///< the first of the group
  const Workload& workload_;
  KernelPrice price_;
  TaskOptions task_;
  std::vector<KernelOption> partial_;  ///< options that only some layers' weights permit
  uint64_t calls_ = 0;                 ///< of the kernel, per inference
  uint64_t slowest_ = 1;               ///< cycles of the slowest option so far
};

}  // namespace

Result<std::vector<TaskOptions>> kernel_options(const NetworkMemory& memory,
                                                const std::vector<LayerGroup>& groups,
                                                const Device& device, BuildCache& builds,
                                                const Records& records, const KernelLimits& limits,
                                                const FlashWaits& waits, Unmeasured unmeasured) {
  const bool in_flash = constants_stay_in_flash(memory, device, limits);
  const double worth_of_byte = worth_of_flash_byte(memory, groups, records);
  std::vector<TaskOptions> tasks;
  for (const LayerGroup& group : groups) {
    Gatherer gatherer(memory, group, device, builds, records, limits, waits, in_flash,
                      worth_of_byte);
    TT_TRY_ASSIGN(TaskOptions task, gatherer.gather(unmeasured));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace tinytune
