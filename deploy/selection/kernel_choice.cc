#include "deploy/selection/kernel_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/check.h"

namespace tinytune {
namespace {

using Choice = std::vector<size_t>;

class Chooser {
 public:
  Chooser(std::span<const TaskOptions> tasks, const KernelLimits& limits, uint64_t other_flash,
          const ArenaOf& arena_of)
      : tasks_(tasks), limits_(limits), other_flash_(other_flash), arena_of_(arena_of) {
    std::map<std::set<int>, size_t> of_strips;
    for (size_t t = 0; t < tasks_.size(); ++t) {
      size_t at = units_.size();
      if (!tasks_[t].strips_of.empty())
        at = of_strips.try_emplace(tasks_[t].strips_of, at).first->second;
      if (at == units_.size()) units_.emplace_back();
      units_[at].push_back(t);
    }
  }

  Result<KernelChoice> run() {
    for (const TaskOptions& task : tasks_)
      TT_CHECK(!task.options.empty(), "a task has at least its default schedule");
    const Choice fastest(tasks_.size(), 0);
    Choice choice = fastest;
    if (limits_.arena_bytes && !meet_arena(choice)) {
      return too_large("the arena", limits_.arena_says, arena(fastest), smallest_arena());
    }
    const Choice roomy = choice;
    const bool over = limits_.flash_bytes && flash(choice) > *limits_.flash_bytes;
    if (over && !meet_flash(choice)) {
      return too_large("the library", "--flash allows " + std::to_string(*limits_.flash_bytes),
                       flash(fastest), flash(choice));
    }
    if (over || limits_.fast_ram_bytes) {
      auto better = share(scratch_beside_tensors(roomy));
      if (better && !fits_arena(*better)) better = share(scratch_of(roomy));  // gaps in the plan
      const bool faster = better && (limits_.fast_ram_bytes || cycles(*better) < cycles(choice));
      if (faster && fits_arena(*better)) choice = *better;
    }
    return KernelChoice{choice, arena(choice), flash(choice)};
  }

  std::vector<FlashPoint> front() {
    Choice choice(tasks_.size(), 0);
    if (limits_.arena_bytes && !meet_arena(choice)) return {};
    const auto fronts = fronts_after_each(scratch_of(choice));
    std::vector<FlashPoint> front;
    for (const Point& point : fronts.points.back()) front.push_back({point.flash, point.cycles});
    return front;
  }

 private:
  const KernelOption& option(const Choice& choice, size_t task) const {
    return tasks_[task].options[choice[task]];
  }

  std::vector<uint32_t> scratch_of(const Choice& choice) const {
    std::vector<uint32_t> scratch;
    for (size_t t = 0; t < tasks_.size(); ++t) scratch.push_back(option(choice, t).scratch_bytes);
    return scratch;
  }

  // Returns the room for scratch beside each task's tensors, at least the scratch of `choice`.
  std::vector<uint32_t> scratch_beside_tensors(const Choice& choice) const {
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> scratch = scratch_of(choice);
    const uint64_t arena = std::min(limits_.arena_bytes.value_or(kMost), kMost);
    for (size_t t = 0; t < tasks_.size(); ++t)
      if (arena > tasks_[t].live_bytes)
        scratch[t] = std::max(scratch[t], static_cast<uint32_t>(arena) - tasks_[t].live_bytes);
    return scratch;
  }

  uint32_t arena(const Choice& choice) const { return arena_of_(scratch_of(choice)); }

  uint64_t flash(const Choice& choice) const {
    uint64_t sum = other_flash_;
    for (size_t t = 0; t < tasks_.size(); ++t) sum += option(choice, t).flash_bytes;
    return sum;
  }

  uint64_t cycles(const Choice& choice) const {
    uint64_t sum = 0;
    for (size_t t = 0; t < tasks_.size(); ++t) sum += option(choice, t).cycles;
    return sum;
  }

  bool fits_arena(const Choice& choice) const {
    return !limits_.arena_bytes || arena(choice) <= *limits_.arena_bytes;
  }

  uint32_t smallest_arena() const {
    std::vector<uint32_t> scratch;
    for (const TaskOptions& task : tasks_) scratch.push_back(task.least_scratch());
    return arena_of_(scratch);
  }

  // The first option of a task with less scratch than its present one.
  std::optional<size_t> leaner(const Choice& choice, size_t task) const {
    const std::vector<KernelOption>& options = tasks_[task].options;
    for (size_t o = 0; o < options.size(); ++o)
      if (options[o].scratch_bytes < option(choice, task).scratch_bytes) return o;
    return std::nullopt;
  }

  bool meet_arena(Choice& choice) const {
    for (size_t t = 0; t < tasks_.size(); ++t) {
      while (uint64_t{tasks_[t].live_bytes} + option(choice, t).scratch_bytes >
             *limits_.arena_bytes) {
        const auto next = leaner(choice, t);
        if (!next) return false;
        choice[t] = *next;
      }
    }
    while (!fits_arena(choice)) {  // gaps in the plan
      const auto next = fill_gap(choice);
      if (!next) return false;
      choice = *next;
    }
    return true;
  }

  // Makes one task leaner: the one with the smallest loss of cycles that makes the plan fit, else
  // the one with the smallest arena; ties go to the smaller loss.
  std::optional<Choice> fill_gap(const Choice& choice) const {
    std::optional<Choice> best;
    std::pair<uint64_t, uint64_t> best_key;
    for (size_t t = 0; t < tasks_.size(); ++t) {
      const auto next = leaner(choice, t);
      if (!next) continue;
      Choice changed = choice;
      changed[t] = *next;
      const uint64_t over =
          std::max<uint64_t>(arena(changed), *limits_.arena_bytes) - *limits_.arena_bytes;
      const std::pair<uint64_t, uint64_t> key(over, lost_cycles(choice, changed, t));
      if (best && best_key <= key) continue;
      best = std::move(changed);
      best_key = key;
    }
    return best;
  }

  uint64_t lost_cycles(const Choice& from, const Choice& to, size_t task) const {
    const uint64_t before = option(from, task).cycles, after = option(to, task).cycles;
    return after > before ? after - before : 0;
  }

  bool meet_flash(Choice& choice) const {
    while (flash(choice) > *limits_.flash_bytes) {
      std::optional<Choice> best;
      double best_price = std::numeric_limits<double>::infinity();
      for (size_t t = 0; t < tasks_.size(); ++t) {
        for (size_t o = 0; o < tasks_[t].options.size(); ++o) {
          const uint64_t now = option(choice, t).flash_bytes;
          const uint64_t then = tasks_[t].options[o].flash_bytes;
          if (then >= now) continue;
          Choice changed = choice;
          changed[t] = o;
          const double price = static_cast<double>(lost_cycles(choice, changed, t)) /
                               static_cast<double>(now - then);
          if (price >= best_price || !fits_arena(changed)) continue;
          best = std::move(changed);
          best_price = price;
        }
      }
      if (!best) return false;
      choice = *best;
    }
    return true;
  }

  struct Point {
    uint64_t flash, copies, cycles;
    size_t before, option;
  };

  /// An option of each task of a unit, with their totals.
  struct Combination {
    std::vector<size_t> options;
    uint64_t cycles = 0, flash_bytes = 0, constant_bytes = 0, largest_constant_bytes = 0;
    uint64_t wait_cycles = 0;
  };

  /// Identifies how an option packs constants: equal packings of one layer are stored once.
  using Packing = std::pair<std::string_view, uint64_t>;

  static Packing packing_of(const KernelOption& option) {
    return {option.schedule.template_name(), option.largest_constant_bytes};
  }

  /// Returns the options of one task that fit into `scratch`.
  std::vector<Combination> single_options(size_t task, uint32_t scratch) const {
    std::vector<Combination> all;
    for (size_t o = 0; o < tasks_[task].options.size(); ++o) {
      const KernelOption& one = tasks_[task].options[o];
      if (one.scratch_bytes <= scratch)
        all.push_back({{o},
                       one.cycles,
                       one.flash_bytes,
                       one.constant_bytes,
                       one.largest_constant_bytes,
                       one.wait_cycles});
    }
    return all;
  }

  /// Returns the choices for strips of one layer that fit into `scratch`: for each packing that all
  /// strips have, its fastest options; and the fastest option of each strip.
  std::vector<Combination> combinations(const std::vector<size_t>& unit,
                                        const std::vector<uint32_t>& scratch) const {
    if (unit.size() == 1) return single_options(unit[0], scratch[unit[0]]);
    std::vector<Combination> all;
    std::set<Packing> packings;
    for (const size_t t : unit)
      for (const KernelOption& one : tasks_[t].options)
        if (one.scratch_bytes <= scratch[t]) packings.insert(packing_of(one));
    const auto add_fastest = [&](const std::optional<Packing>& packing) {
      std::vector<size_t> options;
      for (const size_t t : unit) {
        const std::vector<KernelOption>& of_task = tasks_[t].options;
        const auto fastest = std::find_if(of_task.begin(), of_task.end(), [&](const auto& o) {
          return o.scratch_bytes <= scratch[t] && (!packing || packing_of(o) == *packing);
        });
        if (fastest == of_task.end()) return;
        options.push_back(static_cast<size_t>(fastest - of_task.begin()));
      }
      all.push_back(combined(unit, std::move(options)));
    };
    for (const Packing& packing : packings) add_fastest(packing);
    add_fastest({});
    return all;
  }

  Combination combined(const std::vector<size_t>& unit, std::vector<size_t> options) const {
    Combination sum;
    std::map<Packing, uint64_t> waits;
    for (size_t i = 0; i < unit.size(); ++i) {
      const KernelOption& one = tasks_[unit[i]].options[options[i]];
      sum.cycles += one.cycles;
      sum.flash_bytes += one.flash_bytes - one.constant_bytes;
      uint64_t& wait = waits[packing_of(one)];
      wait = std::max(wait, one.wait_cycles);
    }
    for (const auto& [packing, wait] : waits) {
      sum.constant_bytes += packing.second * tasks_[unit[0]].strips_of.size();
      sum.largest_constant_bytes = std::max(sum.largest_constant_bytes, packing.second);
      sum.wait_cycles += wait;
    }
    sum.flash_bytes += sum.constant_bytes;
    sum.options = std::move(options);
    return sum;
  }

  struct Fronts {
    std::vector<std::vector<Combination>> choices;  ///< of each unit
    std::vector<std::vector<Point>> points;         ///< before the first unit, and after each
  };

  // Solves the knapsack by dynamic programming: keeps, after each unit, the Pareto front of (flash,
  // copies, cycles) of the options that fit into `scratch`.
  Fronts fronts_after_each(const std::vector<uint32_t>& scratch) const {
    Fronts fronts{{}, {{{other_flash_, 0, 0, 0, 0}}}};
    for (const std::vector<size_t>& unit : units_) {
      const auto& choices = fronts.choices.emplace_back(combinations(unit, scratch));
      const std::vector<Point>& before = fronts.points.back();
      std::vector<Point> points;
      for (size_t p = 0; p < before.size(); ++p)
        for (size_t c = 0; c < choices.size(); ++c) extend(before[p], p, c, choices[c], points);
      fronts.points.push_back(unbeaten(std::move(points)));
    }
    return fronts;
  }

  std::optional<Choice> share(const std::vector<uint32_t>& scratch) const {
    const auto [choices, fronts] = fronts_after_each(scratch);
    if (fronts.back().empty()) return std::nullopt;
    const auto fastest =
        std::min_element(fronts.back().begin(), fronts.back().end(),
                         [](const Point& a, const Point& b) { return a.cycles < b.cycles; });
    Choice choice(tasks_.size());
    auto at = static_cast<size_t>(fastest - fronts.back().begin());
    for (size_t u = units_.size(); u-- > 0;) {
      const Point& point = fronts[u + 1][at];
      for (size_t i = 0; i < units_[u].size(); ++i)
        choice[units_[u][i]] = choices[u][point.option].options[i];
      at = point.before;
    }
    return choice;
  }

  // Adds the points with the unit's constants in fast memory, if there is room, and in flash.
  void extend(const Point& from, size_t before, size_t index, const Combination& more,
              std::vector<Point>& points) const {
    // Without a limit on flash, flash must not affect the comparison of points.
    const uint64_t flash = limits_.flash_bytes ? from.flash + more.flash_bytes : 0;
    if (limits_.flash_bytes && flash > *limits_.flash_bytes) return;
    const uint64_t copies = from.copies + more.constant_bytes;
    const bool waits = limits_.fast_ram_bytes && more.wait_cycles > 0;
    const bool has_room =
        !limits_.largest_copy_bytes || more.largest_constant_bytes <= *limits_.largest_copy_bytes;
    if (waits && has_room && copies <= *limits_.fast_ram_bytes)
      points.push_back({flash, copies, from.cycles + more.cycles, before, index});
    const uint64_t waited = waits ? more.wait_cycles : 0;
    points.push_back({flash, from.copies, from.cycles + more.cycles + waited, before, index});
  }

  static std::vector<Point> unbeaten(std::vector<Point> points) {
    constexpr size_t kMost = 4096;  // a larger front is thinned out; the result may be suboptimal
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return std::tie(a.flash, a.copies, a.cycles) < std::tie(b.flash, b.copies, b.cycles);
    });
    std::vector<Point> front;
    std::map<uint64_t, uint64_t> fewest;  // cycles by copies, of the points before in flash order
    for (const Point& point : points) {
      auto next = fewest.upper_bound(point.copies);
      if (next != fewest.begin() && std::prev(next)->second <= point.cycles) continue;
      while (next != fewest.end() && next->second >= point.cycles) next = fewest.erase(next);
      fewest[point.copies] = point.cycles;
      front.push_back(point);
    }
    while (front.size() > kMost) {
      size_t kept = 0;
      for (size_t i = 0; i < front.size(); i += 2) front[kept++] = front[i];
      front.resize(kept);
    }
    return front;
  }

  static Error too_large(const std::string& what, const std::string& allowance, uint64_t fastest,
                         uint64_t smallest) {
    return Error(ErrorCode::kFailed,
                 what + " takes " + std::to_string(fastest) + " bytes with the fastest kernels, " +
                     allowance + "; the smallest achievable is " + std::to_string(smallest));
  }

  std::span<const TaskOptions> tasks_;
  std::vector<std::vector<size_t>> units_;  ///< tasks; strips of the same layers form one unit
  const KernelLimits& limits_;
  uint64_t other_flash_;
  const ArenaOf& arena_of_;
};

}  // namespace

uint32_t TaskOptions::least_scratch() const {
  uint32_t least = std::numeric_limits<uint32_t>::max();
  for (const KernelOption& option : options) least = std::min(least, option.scratch_bytes);
  return least;
}

Result<KernelChoice> choose_kernels(std::span<const TaskOptions> tasks, const KernelLimits& limits,
                                    uint64_t other_flash, const ArenaOf& arena_of) {
  return Chooser(tasks, limits, other_flash, arena_of).run();
}

std::vector<FlashPoint> flash_front(std::span<const TaskOptions> tasks, const KernelLimits& limits,
                                    const ArenaOf& arena_of) {
  KernelLimits counted = limits;
  counted.flash_bytes = std::numeric_limits<uint64_t>::max();
  counted.fast_ram_bytes.reset();
  return Chooser(tasks, counted, 0, arena_of).front();
}

}  // namespace tinytune
