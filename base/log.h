// Where messages go: a sink that the caller passes down. There is no global logger, because our
// host may be someone else's compiler.
#pragma once

#include <functional>
#include <string>

namespace tinytune {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Called from any thread; one call is one line, without the newline.
using LogSink = std::function<void(LogLevel, const std::string&)>;

/// A sink that drops everything.
inline LogSink null_log() {
  return [](LogLevel, const std::string&) {};
}

}  // namespace tinytune
