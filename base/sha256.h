// SHA-256 of a file's bytes, as `sha256sum` prints it: identifies a model to people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// Returns the digest as 64 lower-case hexadecimal digits.
std::string sha256(std::span<const uint8_t> bytes);
/// Returns the digest in base 64, as a browser's Content-Security-Policy names an inline script.
std::string sha256_base64(std::string_view text);

}  // namespace tinytune
