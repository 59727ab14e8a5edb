// Device files with a passage changed, and the reader's messages about them.
#pragma once

#include <string>

namespace tinytune {

/// The text of devices/`name`.toml.
std::string file_of(const std::string& name);

/// The ESP32-C3's file with one passage replaced; the passage must be there.
std::string changed(const std::string& from, const std::string& to);

/// Returns the message with which the file is refused; empty if it is read.
std::string refusal(const std::string& text);

}  // namespace tinytune
