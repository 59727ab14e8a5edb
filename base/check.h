// TT_CHECK: internal errors stop the program, in release builds too.
//
// The library runs inside other processes (a compiler, a build farm), so the message goes through a
// handler that the host may replace; the handler must not return.
#pragma once

#include <string>

namespace tinytune {

using CheckHandler = void (*)(const char* file, int line, const char* message);

/// Replaces the handler and returns the previous one. The default prints to stderr and aborts.
/// Thread-safe.
CheckHandler set_check_handler(CheckHandler handler);

namespace internal {
[[noreturn]] void check_failed(const char* file, int line, const std::string& message);
}

}  // namespace tinytune

#define TT_CHECK(condition, message)                                                \
  do {                                                                              \
    if (!(condition))                                                               \
      ::tinytune::internal::check_failed(__FILE__, __LINE__,                        \
                                         std::string(#condition ": ") + (message)); \
  } while (false)
