// Files that people have in hand instead of a model that is read here, told by their first bytes,
// and what makes a model of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tinytune {

/// What to say behind "not a TensorFlow Lite file" of bytes that are none.
std::string other_format(std::span<const uint8_t> bytes);

/// Of a folder where a model file was expected.
std::string folder_is_no_model(const std::string& path);

/// Whether they begin as a TensorFlow Lite file does.
bool begins_as_tflite(std::span<const uint8_t> bytes);

}  // namespace tinytune
