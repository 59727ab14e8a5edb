// Numbers formatted for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tinytune {

/// Returns the time of the cycles; nullopt without a clock.
std::optional<double> milliseconds(uint64_t cycles, std::optional<uint64_t> clock_hz);

/// "12.34 ms" with a clock, else "1,974,000 cycles".
std::string latency_text(uint64_t cycles, std::optional<uint64_t> clock_hz);

/// "1,234,567".
std::string grouped(uint64_t value);

/// "16,768 bytes (lower bound 16,000, +4.8 %)".
std::string arena_text(uint64_t arena_bytes, uint64_t lower_bound);

/// "2.41x"; "-" unless both are there.
std::string speedup_text(std::optional<uint64_t> before, std::optional<uint64_t> after);

/// "1:05" or "2:03:04".
std::string clock_text(double seconds);

}  // namespace tinytune
