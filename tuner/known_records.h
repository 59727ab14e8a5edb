// A log read for a device: the records that apply, and one warning about those that do not.
#pragma once

#include <string>

#include "devices/device.h"
#include "records/log.h"
#include "records/records.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Warns at most once each of skipped lines and of records set aside. `sink` may be empty.
Records applicable_records(const LogContents& contents, const std::string& path,
                           const Device& device, const MessageSink& sink);

/// Whether this build's templates read the schedule as its writer did.
bool is_current(const Schedule& schedule);

}  // namespace tinytune
