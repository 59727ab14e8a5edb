// Parsing of device files, and inheritance of one device file from another.
//
// `base = "stm32l4r5"` at the top of a file inherits all of that known device's file except its
// name and description. Entries of the file replace the base's, [target], [placement] and [timing]
// each as a whole: half of one core's timing and half of another's is no core. Only [[memory]],
// [[cache]] and [[arrival]] tables with a name in the base are merged key by key; others are added.
// A base is given by name and never by path, so that a file can be read on any machine.
#pragma once

#include <toml++/toml.h>

#include <string_view>

#include "tinytune/result.h"

namespace tinytune::internal {

/// Parses `text` without its base. kInvalidInput: no TOML, or a line of more than 4096 bytes.
Result<toml::table> parse_tables(std::string_view text, std::string_view origin);

/// Parses `text` and merges it into its base. kInvalidInput: no TOML, a line of more than 4096
/// bytes, or no such base.
Result<toml::table> read_tables(std::string_view text, std::string_view origin);

}  // namespace tinytune::internal
