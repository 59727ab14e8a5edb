// Message sinks, passed down by the caller. There is no global logger, because the host may be
// another project's compiler.
#pragma once

#include <functional>
#include <string>

namespace tinytune {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Receives one line per call, without the newline, from any thread.
using LogSink = std::function<void(LogLevel, const std::string&)>;

/// A sink that drops everything.
inline LogSink null_log() {
  return [](LogLevel, const std::string&) {};
}

}  // namespace tinytune
