// Text from outside on its way into a message: one line, of bounded length, valid UTF-8, nothing
// that a terminal obeys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// Bytes of control characters and of what is no UTF-8 become \xNN; text that would take more than
/// `limit_bytes` is cut between characters and ends in "…".
std::string printable(std::string_view text, size_t limit_bytes = 200);

/// Text of several lines: control characters other than tabs and ends of lines become \xNN.
std::string without_controls(std::string_view text);

/// The first `most` items, and how many there are beside them: "a, b and 3 more".
std::string shortened_list(std::span<const std::string> items, size_t most);

/// Valid UTF-8 without control characters: printable() would at most shorten it.
bool is_one_line(std::string_view text);

}  // namespace tinytune
