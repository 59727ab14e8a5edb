// Other logs, with which a new one begins.
//
// What a run knows stands in its log, so that one that is resumed knows what it knew (ADR 81).
// Naming other logs therefore copies their records into a log that is empty, as `tune log merge`
// would.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "records/log.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Appends to `log` what `priors` have measured on a device of that name, each measurement once,
/// and adds it to `contents`, which is what the log holds. A log that has records is left as it is;
/// `sink`, which may be empty, hears of records that came too late, and of what was left out and
/// why.
///
/// kNotFound, kInvalidInput, kFailed: as read_log() and LogWriter::append() say.
Status begin_with(const std::vector<std::string>& priors, const Device& device, LogWriter& log,
                  LogContents& contents, const MessageSink& sink);

}  // namespace tinytune
