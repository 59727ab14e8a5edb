// A log read for a device: the records that apply, and one warning about those that do not.
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

/// A record applies if its schedule is a point of the space that this build has for its workload:
/// what could not be proposed today must not count as a trial, nor win.
///
/// Only records of `fidelity`: figures of a simulator and of a board do not compare.
/// Warns at most once each of skipped lines and of records set aside. `sink` may be empty.
Records applicable_records(LogContents contents, const std::string& path, const Device& device,
                           Fidelity fidelity, const MessageSink& sink);

/// The device as the limits leave it, and the records that were measured on it.
struct Ground {
  Device device;
  Records records;
  size_t in_log = 0;  ///< records of any device and workload
};

/// Says how many tasks have records of their own, how many only those of other layers of their
/// shape, and how many none, where there are some of the second kind; warns where not one of a
/// log's records serves these tasks in any layout: "kws.jsonl: 0 of 100 records match this model".
/// Nothing without a log.
void say_how_records_match(const Ground& ground, const std::vector<Task>& tasks,
                           const std::optional<std::string>& path, const MessageSink& sink);

/// With no fast memory allowed, records of kernels in flash. Where the log has none of the device
/// as it is meant, others say more than the default does, with a warning: those of fast memory,
/// then those of the device as an earlier file described it. `device_name` may be a board's
/// address: its own figures come first then, and the simulator's otherwise; where the log has only
/// the other kind, that, with a line that says so. `portable`: the device with_portable_kernels().
/// No log, no records. Errors as load_device() and read_log().
Result<Ground> load_ground(const std::string& device_name, const MemoryLimits& limits,
                           const std::optional<std::string>& path, const MessageSink& sink,
                           bool portable = false);

}  // namespace tinytune
