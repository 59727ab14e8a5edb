#include "deploy/knowledge/ranking.h"

#include <algorithm>
#include <set>

#include "templates/kernel_template.h"

namespace tinytune {

std::vector<RankedSchedule> ranked_records(const Records& records, const std::string& workload) {
  std::vector<RankedSchedule> ranked;
  for (const Measurement* m : records.of(workload)) {
    const Result<Schedule> schedule = parse_schedule(m->schedule);
    if (m->outcome == Outcome::kOk && schedule) ranked.push_back({*m->median_cycles(), *schedule});
  }
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const RankedSchedule& a, const RankedSchedule& b) { return a.cycles < b.cycles; });
  return ranked;
}

std::vector<KnobEffect> knob_effects(const std::vector<RankedSchedule>& ranked) {
  std::vector<KnobEffect> effects;
  const auto& [best, winner] = ranked.front();
  for (const auto& [knob, value] : winner.knobs()) {
    const auto other =
        std::find_if(ranked.begin(), ranked.end(),
                     [&, &winner = winner, &knob = knob, &value = value](const RankedSchedule& r) {
                       return r.schedule.template_name() == winner.template_name() &&
                              r.schedule.has(knob) && r.schedule.get(knob) != value;
                     });
    if (other == ranked.end()) continue;
    effects.push_back({knob, value, std::string(other->schedule.get(knob)),
                       static_cast<double>(other->cycles) / static_cast<double>(best) - 1});
  }
  std::stable_sort(effects.begin(), effects.end(), [](const KnobEffect& a, const KnobEffect& b) {
    return a.slowdown > b.slowdown;
  });
  return effects;
}

std::vector<Schedule> best_of_other_templates(const std::vector<RankedSchedule>& ranked) {
  std::vector<Schedule> best;
  std::set<std::string> seen = {std::string(ranked.front().schedule.template_name())};
  for (const RankedSchedule& record : ranked)
    if (seen.insert(std::string(record.schedule.template_name())).second)
      best.push_back(record.schedule);
  return best;
}

Schedule starting_point(const Records& records, const Workload& workload, const Device& device,
                        const Schedule& winner) {
  const std::string text = to_text(workload);
  for (const Schedule& usual : default_schedules_of(workload, device))
    if (records.find(text, to_text(usual)) != nullptr) return usual;
  for (const Measurement* m : records.of(text)) {
    const Result<Schedule> schedule = parse_schedule(m->schedule);
    if (m->outcome == Outcome::kOk && schedule) return *schedule;
  }
  return winner;
}

}  // namespace tinytune
