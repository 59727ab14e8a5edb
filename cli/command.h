// Describes commands as data: a row has options, help, examples and the function that runs it.
//
// Help, the manual page, completion and the parser (command_line.h) read the same rows, so they
// cannot disagree. A row is in command_NAME.cc, with the command's own arguments and function;
// shared_options.h has the options of several commands, and Arguments their values.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"

namespace tinytune {

/// Syntax of an option's value; other text is refused with a one-line message.
enum class Syntax {
  kText,
  kChoice,          ///< one of `choices`
  kCount,           ///< a whole number
  kPositive,        ///< a whole number above zero
  kBytes,           ///< 98304, 96K, 96KB, 96KiB, 1M, all of 1024; above zero
  kBytesOrNone,     ///< the same, or 0, or "all"
  kPercent,         ///< 0 to 100, 1.5
  kMilliseconds,    ///< 20, 0.5; above zero
  kDuration,        ///< 90, 60s, 5m, 2h; above zero
  kDurationOrNone,  ///< the same, or 0
};

/// The member that stores a value. Its type decides whether the option is a switch or repeatable.
using Field =
    std::variant<bool Arguments::*, std::string Arguments::*, uint64_t Arguments::*,
                 std::optional<std::string> Arguments::*, std::optional<uint64_t> Arguments::*,
                 std::optional<int> Arguments::*, std::optional<double> Arguments::*,
                 std::vector<std::string> Arguments::*>;

/// Converts a field of a command's own arguments. Only that command's row may use it.
template <typename Own, typename Value>
Value Arguments::*own(Value Own::*field) {
  return static_cast<Value Arguments::*>(field);
}

struct Option {
  std::string names;  ///< "--model", "-o,--output"; "MODEL" is a word without an option's name
  Field field;
  std::string value;  ///< placeholder of the value in help: "FILE"; empty for a switch
  std::string help;
  std::string otherwise;  ///< default, for help; empty if obvious
  Syntax syntax = Syntax::kText;
  std::vector<std::string> choices;
  bool required = false;
  /// Stores further values of a repeated option; null: the option may be given only once.
  std::vector<std::string> Arguments::*more = nullptr;
};

/// Returns the default for help: "off" for a switch, "required", or Option::otherwise.
std::string default_of(const Option& option);

/// State of the program, for commands.
struct Context {
  Console console;
  std::string program = "tune";               ///< as typed: argv[0]
  std::string line;                           ///< the whole command line, quoted for a shell
  const std::atomic<bool>* cancel = nullptr;  ///< becomes true on an interruption
};

/// Function of a command, and a factory for its arguments.
struct Deed {
  std::unique_ptr<Arguments> (*arguments)() = nullptr;
  int (*run)(const Arguments&, const Context&) = nullptr;  ///< the program's exit code
};

/// Makes the Deed of `function`, which takes the command's own type of arguments.
template <auto function, typename Own>
Deed deed_of(int (*)(const Own&, const Context&)) {
  return {[]() -> std::unique_ptr<Arguments> { return std::make_unique<Own>(); },
          [](const Arguments& arguments, const Context& context) {
            return function(static_cast<const Own&>(arguments), context);
          }};
}
template <auto function>
Deed does() {
  return deed_of<function>(function);
}

/// Effect of SIGINT, SIGTERM or SIGHUP on a running command (interrupts.h).
enum class Interruption {
  kIsTidied,    ///< ends it and removes its children and temporary directories
  kIsFinished,  ///< asks it to end by itself, because it has results to report
  kEndsIt,      ///< the system's default
};

struct Command {
  std::string name;  ///< empty: the command of `tune` without a command word
  std::string summary;
  std::vector<Option> options;
  std::string examples;
  Deed does;
  Interruption interruption = Interruption::kIsTidied;
};

}  // namespace tinytune
