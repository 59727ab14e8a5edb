// Report of `tune simulate` on a program that has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/program.h"

namespace tinytune {

std::string simulation_text(const ProgramReport& report, std::optional<uint64_t> clock_hz);

/// `output` is the program's output.
std::string simulation_json(const ProgramReport& report, const std::string& output);

}  // namespace tinytune
