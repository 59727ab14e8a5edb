// The bytes that `tune run` reads and writes: raw tensors, in files or from a seeded generator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Parses "seed:7" to 7. kInvalidInput: not a 32-bit number, or 0, for which the generator yields
/// only zeros.
Result<uint32_t> parse_seed(std::string_view text);

/// `arguments`: one FILE or seed:N per input, or a single one for all inputs, back to back; none:
/// seed:1. A FILE holds all steps, step after step, or one step. Returns RunOptions::inputs.
/// kInvalidInput: a wrong number or size; kNotFound: no such file.
Result<std::vector<std::vector<uint8_t>>> read_inputs(const Model& model,
                                                      std::span<const std::string> arguments,
                                                      int steps = 1);

/// Writes RunReport::outputs: one file per output, or one file for all, with the outputs of a step
/// back to back, step after step. kInvalidInput: a wrong number of files.
Status write_outputs(const Model& model, std::span<const std::string> files,
                     std::span<const std::vector<uint8_t>> outputs);

}  // namespace tinytune
