// Output of commands: results on stdout, everything else on stderr; with --json always exactly one
// object on stdout.
#pragma once

#include <string>

#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Exit codes of the program other than 0 for success.
inline constexpr int kExitFailed = 1;      ///< the work itself failed
inline constexpr int kExitWrongInput = 2;  ///< the command line or an input is wrong
inline constexpr int kExitInterrupted = 130;

int exit_code_of(ErrorCode code);

/// Terminal sequence that clears the screen. Console would escape it in text, so it must be written
/// directly.
inline constexpr char kClearScreen[] = "\x1b[H\x1b[2J";

/// Printed names may come from untrusted files: control characters, which a terminal would obey,
/// are printed as \xNN.
class Console {
 public:
  Console(bool json, bool quiet) : json_(json), quiet_(quiet) {}

  bool json() const { return json_; }
  bool quiet() const { return quiet_; }

  /// Prints a line to stderr; --quiet drops it unless it is a warning.
  void message(MessageKind kind, const std::string& line) const;
  MessageSink sink() const;

  /// Prints a result's text or JSON and flushes it. Returns the exit code: 0, or 1 if stdout did
  /// not accept it, after a line with the reason.
  int result(const std::string& text) const;

  /// Prints why a command failed and returns its exit code.
  int fail(const Error& error) const;
  int fail(int exit_code, const std::string& message) const;

 private:
  bool json_, quiet_;
};

}  // namespace tinytune
