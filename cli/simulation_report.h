// What `tune simulate` says of a program that has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/program.h"

namespace tinytune {

std::string simulation_text(const ProgramReport& report, std::optional<uint64_t> clock_hz);

/// `output` is what the program has printed.
std::string simulation_json(const ProgramReport& report, const std::string& output);

}  // namespace tinytune
