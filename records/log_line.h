// One line of a log: a Measurement as a JSON object with a checksum.
//
// The checksum covers the content, not the bytes: `sum` is the FNV-1a hash, as 16 hexadecimal
// digits, of the object without `sum`, written with sorted keys and no spaces. So a line stays
// valid if a tool reorders its keys or reindents it, but not if a digit changes.
#pragma once

#include <string>
#include <string_view>

#include "records/measurement.h"
#include "tinytune/result.h"

namespace tinytune {

/// The log format of this version: the key `v`.
inline constexpr int kLogVersion = 1;

/// First bytes of every line that this program writes. A line that starts otherwise and does not
/// parse was not written by it.
inline constexpr std::string_view kLogLineStart = "{\"v\":1,\"device\":\"";

/// Returns whether a line, of any length, may be the start of a line that this program wrote.
bool begins_like_ours(std::string_view line);

/// Longest valid line, in bytes; a longer one is damaged or foreign.
inline constexpr size_t kLongestLogLine = size_t{1} << 20;

/// Checks that cycles fit the outcome. kInvalidInput: cycles without `ok`, `ok` without cycles, or
/// a call of 0 cycles.
Status check_cycles(const Measurement& measurement);

/// Returns the line without a newline. Bytes of `detail` that are not UTF-8 become U+FFFD.
std::string to_log_line(const Measurement& measurement);

/// Parses a line. kInvalidInput: not JSON, a bad checksum, another log version, a missing or
/// mistyped key, or as for check_cycles(). Unknown keys are ignored: later versions may add some.
Result<Measurement> parse_log_line(std::string_view line);
/// Parses one of many lines; equal texts share memory through `texts`.
Result<Measurement> parse_log_line(std::string_view line, TextPool& texts);

}  // namespace tinytune
