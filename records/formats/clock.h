// Converts a record's cycles to times, and its time stamp to Unix time.
#pragma once

#include <cstdint>
#include <string>

#include "records/formats/formats.h"

namespace tinytune {

/// Returns the device's clock in Hz. kUnsupported: the device has no clock.
inline Result<double> clock_of(const Device& device) {
  if (device.clock_hz && *device.clock_hz > 0) return static_cast<double>(*device.clock_hz);
  return Error(ErrorCode::kUnsupported,
               device.name + " has no clock, and this format has times and not cycles");
}

/// Seconds since 1970 of "2026-11-22T01:29:45Z"; 0 for any other text.
int64_t unix_time(const std::string& utc);

}  // namespace tinytune
