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

/// "seed:7" → 7. kInvalidInput: not a number of 32 bits, or 0, where the generator would stand
/// still.
Result<uint32_t> parse_seed(std::string_view text);

/// `arguments`: one FILE or seed:N for each input, or a single one that holds all of them back to
/// back; none stands for seed:1. A FILE holds all steps, step after step, or one. The result is
/// RunOptions::inputs. kInvalidInput: a wrong number or size; kNotFound: no such file.
Result<std::vector<std::vector<uint8_t>>> read_inputs(const Model& model,
                                                      std::span<const std::string> arguments,
                                                      int steps = 1);

/// RunReport::outputs: one file for each output, or one for all, where the outputs of a step stand
/// back to back, step after step. kInvalidInput: a wrong number.
Status write_outputs(const Model& model, std::span<const std::string> files,
                     std::span<const std::vector<uint8_t>> outputs);

}  // namespace tinytune
