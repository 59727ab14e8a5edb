// Two fidelities: the simulator of a device looks for schedules, its board measures the best.
//
// A simulated trial costs no board, and a simulator that is a few percent off still knows nine in
// ten schedules for slow (ADR 81). Neither search is told of the other: the first is a run on the
// simulator like any other, the second tries a list. Both are in the log, each under its fidelity.
#pragma once

#include <string>

#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Schedules of each task that go to the board: its default, and the simulator's fastest.
inline constexpr size_t kPromising = 8;

/// `device` is a board's address. Trials of the options are the simulator's; the report is of the
/// board. kInvalidInput: a simulator's address. kUnsupported: the device has no simulator.
/// Otherwise as tune_model().
Result<TuneReport> tune_prescreened(const Model& model, const std::string& device,
                                    const TuneOptions& options);

}  // namespace tinytune
