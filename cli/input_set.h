// A set of inputs to evaluate a network: a folder with one file per item, or one array of all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

struct InputSet {
  std::vector<std::string> names;            ///< by item: a file's name, or "x.npy[3]"
  std::vector<std::vector<uint8_t>> inputs;  ///< as RunOptions::inputs, with one step per item
};

/// `path`: a folder, whose files are read in the order of their names, or one file with many items
/// back to back. An item is the raw bytes of all inputs back to back or, in a .npy file, an array
/// for the model's only input. Floats are quantised if the input is not float32, as by a QUANTIZE
/// operator. Skips files that begin with a dot, and `labels`. kNotFound, kInvalidInput: no items,
/// or a wrong size or type; the message names the file.
Result<InputSet> read_input_set(const Model& model, const std::string& path,
                                const std::string& labels);

/// Reads one line per item: its class, a number from 0; or its file's name and its class,
/// optionally separated by a comma, then in any order. kInvalidInput: a malformed line, an item
/// without a class, or, without names, too many lines.
Result<std::vector<int>> read_labels(const std::string& path,
                                     const std::vector<std::string>& names);

}  // namespace tinytune
