// Ranks the valid records of one workload by their cycles, and analyses the ranking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"
#include "records/records.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "tinytune/explain.h"

namespace tinytune {

struct RankedSchedule {
  uint64_t cycles = 0;
  Schedule schedule;
};

/// Returns the ranking, the fastest first; of equal ones, the one measured first.
std::vector<RankedSchedule> ranked_records(const Records& records, const std::string& workload);

/// Returns the effect of each knob of the winner, from the best record with another value of it;
/// the largest effect first. `ranked` must not be empty.
std::vector<KnobEffect> knob_effects(const std::vector<RankedSchedule>& ranked);

/// Returns the fastest schedule of every template but the winner's, in order.
std::vector<Schedule> best_of_other_templates(const std::vector<RankedSchedule>& ranked);

/// Returns the schedule with which tuning started: the first template's default that fitted memory
/// and so is in the log; if none did, the first one measured; `winner` if even that is not valid.
Schedule starting_point(const Records& records, const Workload& workload, const Device& device,
                        const Schedule& winner);

}  // namespace tinytune
