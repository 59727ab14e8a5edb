// Where a command's words go: results to stdout, everything else to stderr, and with --json exactly
// one object on stdout whatever happens.
#pragma once

#include <string>

#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Exit codes of the program, beside 0 for success.
inline constexpr int kExitFailed = 1;      ///< the work itself failed
inline constexpr int kExitWrongInput = 2;  ///< the command line or an input is wrong
inline constexpr int kExitInterrupted = 130;

int exit_code_of(ErrorCode code);

/// Terminal sequence that clears the screen. Console escapes it in text, so it is written by
/// itself.
inline constexpr char kClearScreen[] = "\x1b[H\x1b[2J";

/// Names in what is printed may come from anywhere: control characters, which a terminal would
/// obey, are printed as \xNN.
class Console {
 public:
  Console(bool json, bool quiet) : json_(json), quiet_(quiet) {}

  bool json() const { return json_; }
  bool quiet() const { return quiet_; }

  /// A line to stderr; dropped by --quiet unless it is a warning.
  void message(MessageKind kind, const std::string& line) const;
  MessageSink sink() const;

  /// Text of a result, or its JSON, all of it on its way when this returns. The exit code: 0, or 1
  /// after a line that says why stdout did not take it.
  int result(const std::string& text) const;

  /// Says why a command failed and returns its exit code.
  int fail(const Error& error) const;
  int fail(int exit_code, const std::string& message) const;

 private:
  bool json_, quiet_;
};

}  // namespace tinytune
