// Converts logs to and from other formats: CSV tables, AutoTVM's records and Kernel Tuner's T4.
//
// Each format holds only the fields that its readers expect; doc/records.md lists the mapping.
// Cycles become seconds by the device's clock, so records of a device without one cannot be
// exported to formats that need times.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "records/measurement.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the device that a record names.
using DeviceOf = std::function<Result<Device>(const std::string& name)>;

/// Returns a header and one line per record; RFC 4180.
std::string to_csv(std::span<const Measurement> measurements);

/// Returns an AutoTVM log, version 0.2: JSON lines that TVM's `autotvm.record.decode` reads. Knobs
/// become options of the config; `input[3]` carries our own log line, which from_autotvm() reads.
/// kUnsupported: a device without a clock. Other errors: those of `device_of`.
Result<std::string> to_autotvm(std::span<const Measurement> measurements,
                               const DeviceOf& device_of);

/// Reads records that to_autotvm() wrote. kInvalidInput: not such a log. kUnsupported: records of
/// TVM's own templates, which have no counterpart here; the message names them.
Result<std::vector<Measurement>> from_autotvm(std::string_view text, const std::string& origin);

/// Returns T4 results, schema 1.0.0: one JSON object. Errors as for to_autotvm().
Result<std::string> to_t4(std::span<const Measurement> measurements, const DeviceOf& device_of);

/// Returns whether a text claims to be T4: an object with a schema version.
bool looks_like_t4(std::string_view text);

/// Reads results that to_t4() wrote, with the losses of the schema: the device's description is the
/// current one of `device_of`, repeats are replaced by their median, and failures that the schema
/// does not distinguish become one outcome. kInvalidInput: not such results. kUnsupported: results
/// of other tools, whose configurations describe other kernels.
Result<std::vector<Measurement>> from_t4(std::string_view text, const std::string& origin,
                                         const DeviceOf& device_of);

}  // namespace tinytune
