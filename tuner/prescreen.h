// Tuning with two fidelities: searches on the device's simulator, then measures the best schedules
// on the board.
//
// A simulated trial needs no board, and a simulator that is a few percent off still recognises nine
// in ten schedules as slow (ADR 81). The two runs are independent: the first is an ordinary run on
// the simulator, the second tries a list. Both are logged, each under its fidelity.
#pragma once

#include <string>

#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Schedules of each task that are measured on the board: its default and the simulator's fastest.
inline constexpr size_t kPromising = 8;

/// Tunes a model; `device` is a board's address. The options' trials are those of the simulator;
/// the report is of the board. kInvalidInput: a simulator's address. kUnsupported: the device has
/// no simulator. Other errors: those of tune_model().
Result<TuneReport> tune_prescreened(const Model& model, const std::string& device,
                                    const TuneOptions& options);

}  // namespace tinytune
