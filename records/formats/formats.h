// Logs in the formats of others: tables, AutoTVM's records and Kernel Tuner's T4.
//
// They are projections, each with what its readers expect; doc/records.md says what maps to what.
// Cycles become seconds by the device's clock, so a device without one cannot be exported where
// times are asked for.
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

/// The device that a record names.
using DeviceOf = std::function<Result<Device>(const std::string& name)>;

/// One line a record, a header first; RFC 4180.
std::string to_csv(std::span<const Measurement> measurements);

/// AutoTVM's log, version 0.2: a JSON array's worth of lines that TVM's `autotvm.record.decode`
/// reads. Knobs are options of the config; `input[3]` carries our own line, which is how it is read
/// back. kUnsupported: a device without a clock. Otherwise as `device_of`.
Result<std::string> to_autotvm(std::span<const Measurement> measurements,
                               const DeviceOf& device_of);

/// Records that to_autotvm() wrote. kInvalidInput: not such a log. kUnsupported: records of TVM's
/// own templates, which have no counterpart here; the message names them.
Result<std::vector<Measurement>> from_autotvm(std::string_view text, const std::string& origin);

/// T4 results, schema 1.0.0: one JSON object. Errors as to_autotvm().
Result<std::string> to_t4(std::span<const Measurement> measurements, const DeviceOf& device_of);

/// Whether a text calls itself T4: an object with a schema's version.
bool looks_like_t4(std::string_view text);

/// Results that to_t4() wrote, as far as the schema holds them: the device's description is taken
/// from `device_of` as it is now, several repeats are their median, and of the reasons of a failure
/// one stands for those that the schema has no word for. kInvalidInput: not such results.
/// kUnsupported: results of other tools, whose configurations describe other kernels.
Result<std::vector<Measurement>> from_t4(std::string_view text, const std::string& origin,
                                         const DeviceOf& device_of);

}  // namespace tinytune
