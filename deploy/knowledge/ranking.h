// The valid records of one workload in order of their cycles, and what they tell.
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

/// The fastest first; of equal ones, what was measured first.
std::vector<RankedSchedule> ranked_records(const Records& records, const std::string& workload);

/// What each knob of the winner is worth, by the best record that has it otherwise; the dearest
/// first. `ranked` is not empty.
std::vector<KnobEffect> knob_effects(const std::vector<RankedSchedule>& ranked);

/// The fastest of every template but the winner's, in order.
std::vector<Schedule> best_of_other_templates(const std::vector<RankedSchedule>& ranked);

/// Where tuning started: the first template's default that fitted its memory and so is in the log,
/// or, where none did, what it measured first; `winner` where even that is not valid.
Schedule starting_point(const Records& records, const Workload& workload, const Device& device,
                        const Schedule& winner);

}  // namespace tinytune
