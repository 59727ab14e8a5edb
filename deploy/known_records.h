// A log read for a device: the records that apply, and one warning about those that do not.
#pragma once

#include <optional>
#include <string>

#include "devices/device.h"
#include "records/log.h"
#include "records/records.h"
#include "tinytune/memory.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// A record applies if its schedule is a point of the space that this build has for its workload:
/// what could not be proposed today must not count as a trial, nor win.
///
/// Warns at most once each of skipped lines and of records set aside. `sink` may be empty.
Records applicable_records(const LogContents& contents, const std::string& path,
                           const Device& device, const MessageSink& sink);

/// Reads the log at `path`, as `--records` names it; no records without one. kNotFound,
/// kInvalidInput: as read_log().
Result<Records> load_records(const std::optional<std::string>& path, const Device& device,
                             const MessageSink& sink);

/// The device as the limits leave it, and the records that were measured on it.
struct Ground {
  Device device;
  Records records;
};

/// With no fast memory allowed, records of kernels in flash; where the log has none of the device
/// in flash, those of fast memory say more than nothing. Errors as load_device() and
/// load_records().
Result<Ground> load_ground(const std::string& device_name, const MemoryLimits& limits,
                           const std::optional<std::string>& path, const MessageSink& sink);

}  // namespace tinytune
