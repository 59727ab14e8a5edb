// SHA-256 of a file's bytes, as `sha256sum` prints it: the name under which people know a model.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tinytune {

/// 64 lower-case hexadecimal digits.
std::string sha256(std::span<const uint8_t> bytes);

}  // namespace tinytune
