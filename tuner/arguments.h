// The small languages of the command line: durations, lists of tasks, shell quoting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/memory.h"
#include "tinytune/result.h"

namespace tinytune {

/// Seconds of "60s", "5m", "2h", "1.5h" or plain "90". kInvalidInput: anything else, or not above
/// zero.
Result<double> parse_duration(std::string_view text);

/// A whole number of 64 bits; `option` names it in the message. kInvalidInput: anything else. (A
/// parser that takes "-3" for 18446744073709551613 would tune for a while.)
Result<uint64_t> parse_count(std::string_view option, std::string_view text);

/// Bytes of "300K", "1M" or plain "98304"; K = 1024. kInvalidInput: anything else, or zero.
Result<uint64_t> parse_bytes(std::string_view option, std::string_view text);

/// Limits as the command line gives them; nothing where an option is absent.
Result<MemoryLimits> parse_limits(const std::optional<std::string>& ram,
                                  const std::optional<std::string>& flash,
                                  const std::optional<std::string>& fast_ram = {});

/// "0,2-5" → {0, 2, 3, 4, 5}: sorted, without repeats. kInvalidInput: another form, or an index
/// that is not below `count`.
Result<std::vector<int>> parse_task_list(std::string_view text, int count);

/// "seed:7" → 7. kInvalidInput: not a number of 32 bits, or 0, where the generator would stand
/// still.
Result<uint32_t> parse_seed(std::string_view text);

/// One argument as a POSIX shell reads it back; unchanged where nothing needs quoting.
std::string shell_quoted(std::string_view argument);
std::string shell_line(std::span<const std::string> arguments);

/// "models/kws.tflite" → "kws".
std::string stem_of(std::string_view path);

}  // namespace tinytune
