// Models that exist only as an array in C source: what `xxd -i` makes of a .tflite file, and what
// projects for microcontrollers keep under version control.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tinytune {

/// Whether a file of this name (with its extension) is C or C++ source.
bool is_c_source(std::string_view path);

/// The bytes of every array of integers in `source` that begins as a TensorFlow Lite file does;
/// equal ones once. Comments, strings and lines of the preprocessor are skipped, so of what
/// `#if` leaves out nothing is left out.
std::vector<std::vector<uint8_t>> models_in_c_source(std::string_view source);

}  // namespace tinytune
