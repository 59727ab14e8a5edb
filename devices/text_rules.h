// Rules for the text in device files. It is copied to comments, build files, linker scripts and
// terminals, so it must not end a line, a string or a comment.
#pragma once

#include <string_view>

namespace tinytune::internal {

/// Checks the name of a device, which is also part of file names.
bool is_device_name(std::string_view text);
constexpr std::string_view kDeviceNameRule =
    "1 to 64 of a-z, 0-9 and . _ -, a letter or digit first";

/// Checks the name of a memory, cache, key or transport.
bool is_name(std::string_view text);
constexpr std::string_view kNameRule =
    "1 to 64 of A-Z, a-z, 0-9 and . _ -, a letter or digit first";

/// Checks the name of a linker section.
bool is_section(std::string_view text);
constexpr std::string_view kSectionRule = "1 to 64 of A-Z, a-z, 0-9 and . _, a dot or letter first";

/// Checks free text: descriptions and sources.
bool is_line(std::string_view text);
constexpr std::string_view kLineRule =
    "one line of 1 to 300 bytes without control characters and the ends of comments";

}  // namespace tinytune::internal
