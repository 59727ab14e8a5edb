// A worker that outlives its tuners: when a run ends or a tuner is gone, it dials again.
//
// Each tuner is served by a new child process. The parent has no threads and no state, so no
// tuner, kernel or library can affect the next child; and builds can only be forked by a process
// that has no threads yet.
#pragma once

#include "base/log.h"
#include "rpc_device/fleet/worker.h"
#include "tinytune/result.h"

namespace tinytune {

/// Serves tuners at options.connect until this process is ended. Must be called while it has one
/// thread. Returns only errors that a retry cannot fix: kInvalidInput, kNotFound, kUnsupported as
/// run_worker(), including refusal by a tuner; kDeviceLost if the board cannot be reached at the
/// start, or within options.board_patience after it was lost.
Status stay(const WorkerOptions& options, const LogSink& log);

}  // namespace tinytune
