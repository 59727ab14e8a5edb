// Reading a device file's text, and files that are another device but for some keys.
//
// `base = "stm32l4r5"` at the top of a file stands for all of that known device's file but its name
// and description. What the file has itself replaces what the base has, [target], [placement] and
// [timing] each as a whole: half of one core's timing and half of another's is no core. Only a
// [[memory]] or [[cache]] of a name that the base has is changed key by key; others are added. A
// base is known by name and never by path, so that a file stays readable wherever it is sent.
#pragma once

#include <toml++/toml.h>

#include <string_view>

#include "tinytune/result.h"

namespace tinytune::internal {

/// The tables of `text` itself. kInvalidInput: no TOML, or a line of more than 4096 bytes.
Result<toml::table> parse_tables(std::string_view text, std::string_view origin);

/// The tables of `text`, those of its base included. kInvalidInput: no TOML, a line of more than
/// 4096 bytes, or no such base.
Result<toml::table> read_tables(std::string_view text, std::string_view origin);

}  // namespace tinytune::internal
