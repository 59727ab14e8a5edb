// One line of a log: a Measurement as a JSON object that carries its own checksum.
//
// The checksum covers the meaning and not the bytes: `sum` is the FNV-1a hash, as 16 hexadecimal
// digits, of the object without `sum`, written with its keys sorted and no spaces. A tool may
// therefore reorder keys or reindent a line and it still counts; a flipped digit does not.
#pragma once

#include <string>
#include <string_view>

#include "records/measurement.h"
#include "tinytune/result.h"

namespace tinytune {

/// The log format of this version: the key `v`.
inline constexpr int kLogVersion = 1;

/// Every line that this program writes starts so; what does not and fails to parse was never ours.
inline constexpr std::string_view kLogLineStart = "{\"v\":1,\"device\":\"";

/// Whether a line may be the beginning of one of ours, however short.
bool begins_like_ours(std::string_view line);

/// Of one line; more is a damaged or foreign one.
inline constexpr size_t kLongestLogLine = size_t{1} << 20;

/// kInvalidInput: cycles without `ok`, `ok` without cycles, or a call that took none.
Status check_cycles(const Measurement& measurement);

/// Without the newline. Bytes of `detail` that are not UTF-8 become U+FFFD.
std::string to_log_line(const Measurement& measurement);

/// kInvalidInput: not JSON, a bad checksum, another log version, a missing or mistyped key, or as
/// check_cycles(). Unknown keys are allowed: later versions add.
Result<Measurement> parse_log_line(std::string_view line);
/// The same of one of many lines, whose equal texts become one.
Result<Measurement> parse_log_line(std::string_view line, TextPool& texts);

}  // namespace tinytune
