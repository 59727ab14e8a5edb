// A set of inputs to judge a network by: a folder with a file each, or one array of all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

struct InputSet {
  std::vector<std::string> names;            ///< one each: a file's name, or "x.npy[3]"
  std::vector<std::vector<uint8_t>> inputs;  ///< RunOptions::inputs, each item of the set a step
};

/// `path`: a folder, whose files are read in the order of their names, each with raw bytes of all
/// inputs back to back or, in a .npy file, an array of the model's only input; or a file with many
/// of them, one after another. Floats are quantised where the input is not float32, as a QUANTIZE
/// operator does. Files that begin with a dot, and `labels`, are left out. kNotFound,
/// kInvalidInput: nothing there, or of a wrong size or type; names the file.
Result<InputSet> read_input_set(const Model& model, const std::string& path,
                                const std::string& labels);

/// A line for each input: its class, a number from 0, or its file's name and its class, then in any
/// order; a comma may stand between. kInvalidInput: one that is none, too many, or too few.
Result<std::vector<int>> read_labels(const std::string& path,
                                     const std::vector<std::string>& names);

}  // namespace tinytune
