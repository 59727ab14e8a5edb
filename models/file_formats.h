// Recognises files of other formats, given instead of a supported model, by their first bytes, and
// says how to convert them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tinytune {

/// Returns the text that follows "not a TensorFlow Lite file" in the message for such bytes.
std::string other_format(std::span<const uint8_t> bytes);

/// Returns the message for a folder where a model file was expected.
std::string folder_is_no_model(const std::string& path);

/// Returns whether `bytes` begin like a TensorFlow Lite file.
bool begins_as_tflite(std::span<const uint8_t> bytes);

}  // namespace tinytune
