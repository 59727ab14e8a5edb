// Makes text from outside (tensors' names, device files, logs) harmless for the language in which
// it is printed: one function per language. Printable ASCII without the language's special
// characters stays unchanged; no text can end a comment, a string or a line.
#pragma once

#include <string>
#include <string_view>

namespace tinytune {

/// Inside a C comment of either kind, in trigraph mode too.
std::string in_c_comment(std::string_view text);
/// Between the quotes of a C string literal; the same bytes when it is read back.
std::string in_c_string(std::string_view text);
/// After a '#' that opens a comment: CMake, YAML, Kconfig fragments.
std::string in_hash_comment(std::string_view text);
/// A value of a .properties file.
std::string in_properties(std::string_view text);
/// Running text of Markdown, and inside its `code`.
std::string in_markdown(std::string_view text);
std::string in_markdown_code(std::string_view text);
/// A word that assemblers, linker scripts and C strings spell alike: a section's name.
std::string as_symbol_word(std::string_view text);

}  // namespace tinytune
