// Selects the records of a log that apply to a device, with one warning about the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "models/tasks.h"
#include "records/log.h"
#include "records/records.h"
#include "tinytune/memory.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Returns the records of `fidelity` that apply: figures of a simulator and of a board do not
/// compare. A record applies if its schedule is in this build's space for its workload; a schedule
/// that could not be proposed today must neither count as a trial nor win.
///
/// Warns at most once each of skipped lines and of ignored records. `sink` may be empty.
Records applicable_records(LogContents contents, const std::string& path, const Device& device,
                           Fidelity fidelity, const MessageSink& sink);

/// The device as restricted by the limits, and the records that were measured on it.
struct Ground {
  Device device;
  Records records;
  size_t in_log = 0;  ///< records of any device and workload
};

/// If some tasks have only records of other layers of their shape, reports how many tasks have
/// records of their own, how many only such ones, and how many none. Warns if no record of the log
/// serves these tasks in any layout: "kws.jsonl: 0 of 100 records match this model". Does nothing
/// without a log.
void say_how_records_match(const Ground& ground, const std::vector<Task>& tasks,
                           const std::optional<std::string>& path, const MessageSink& sink);

/// Loads the device and its records. If no fast memory is allowed, these are records of kernels in
/// flash. If the log has none of this device, others are still better than the default and are used
/// with a warning: those of fast memory, then those of an earlier description of the device.
/// `device_name` may be a board's address: then the board's figures are preferred, otherwise the
/// simulator's; if the log has only the other kind, that is used with a message. `portable`:
/// returns the device with_portable_kernels(). Without a log there are no records. Errors as for
/// load_device() and read_log().
Result<Ground> load_ground(const std::string& device_name, const MemoryLimits& limits,
                           const std::optional<std::string>& path, const MessageSink& sink,
                           bool portable = false);

}  // namespace tinytune
