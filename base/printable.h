// Makes untrusted text safe for messages: one line of bounded length, valid UTF-8, no terminal
// control sequences.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// Replaces control characters and bytes that are not valid UTF-8 by \xNN. Text of more than
/// `limit_bytes` is cut between characters and ends in "…".
std::string printable(std::string_view text, size_t limit_bytes = 200);

/// The same for text of several lines: keeps tabs and newlines, and does not shorten.
std::string without_controls(std::string_view text);

/// Joins the first `most` items and the number of the others: "a, b and 3 more".
std::string shortened_list(std::span<const std::string> items, size_t most);

/// Returns whether `text` is valid UTF-8 without control characters.
bool is_one_line(std::string_view text);

}  // namespace tinytune
