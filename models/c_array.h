// Finds models that exist only as a byte array in C source: the output of `xxd -i` for a .tflite
// file, which microcontroller projects keep under version control.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tinytune {

/// Returns whether the extension of this file name is one of C or C++ source.
bool is_c_source(std::string_view path);

/// Returns the bytes of every integer array in `source` that begins like a TensorFlow Lite file,
/// without duplicates. Skips comments, strings and preprocessor lines; evaluates no `#if`, so
/// arrays in excluded branches are returned too.
std::vector<std::vector<uint8_t>> models_in_c_source(std::string_view source);

}  // namespace tinytune
