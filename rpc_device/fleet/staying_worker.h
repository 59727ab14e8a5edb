// A worker that outlives its tuners: when a run ends or a tuner is gone, it dials again.
//
// Each tuner is served by a process of its own. The parent has no threads and no state, so that
// whatever a tuner, a kernel or a library did to one, the next begins anew; and builds can only be
// forked by a process that has no threads yet.
#pragma once

#include "base/log.h"
#include "rpc_device/fleet/worker.h"
#include "tinytune/result.h"

namespace tinytune {

/// Serves tuners at options.connect until this process is ended. Must be called while it has one
/// thread. Returns what no second attempt mends: kInvalidInput, kNotFound, kUnsupported as
/// run_worker(), so also that a tuner refused this build; kDeviceLost where the board cannot be
/// reached at the start, or not within options.board_patience after it was lost.
Status stay(const WorkerOptions& options, const LogSink& log);

}  // namespace tinytune
