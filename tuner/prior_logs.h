// Starts a new log with the records of other logs.
//
// A run uses only what is in its log, so that a resumed run has the same knowledge (ADR 81). Naming
// prior logs therefore copies their records into an empty log, as `tune log merge` would.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "records/log.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Appends the measurements of `priors` on a device of that name to `log`, without duplicates, and
/// to `contents`, which must be the log's contents. A log that has records is left unchanged.
/// `sink`, which may be empty, is told about records that were ignored, and why.
///
/// kNotFound, kInvalidInput, kFailed: as for read_log() and LogWriter::append().
Status begin_with(const std::vector<std::string>& priors, const Device& device, LogWriter& log,
                  LogContents& contents, const MessageSink& sink);

}  // namespace tinytune
