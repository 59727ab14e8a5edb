// Describes commands as data: a row has options, help, examples and the function that runs it.
//
// Help, the manual page, completion and the parser (command_line.h) read the same rows, so they
// cannot disagree. A row stands in command_NAME.cc, beside the command's own arguments and
// function; shared_options.h has the options of several commands, and Arguments their values.
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

/// How the text of a value is read, and what is refused with one line.
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

/// The member that stores a value. Its type says whether the option is a switch or may be repeated.
using Field =
    std::variant<bool Arguments::*, std::string Arguments::*, uint64_t Arguments::*,
                 std::optional<std::string> Arguments::*, std::optional<uint64_t> Arguments::*,
                 std::optional<int> Arguments::*, std::optional<double> Arguments::*,
                 std::vector<std::string> Arguments::*>;

/// A field of what one command alone takes. Only that command's row may have it.
template <typename Own, typename Value>
Value Arguments::*own(Value Own::*field) {
  return static_cast<Value Arguments::*>(field);
}

struct Option {
  std::string names;  ///< "--model", "-o,--output"; "MODEL" is a word without an option's name
  Field field;
  std::string value;  ///< what stands for the value in help: "FILE"; empty for a switch
  std::string help;
  std::string otherwise;  ///< what holds where it is left out; empty where that needs no words
  Syntax syntax = Syntax::kText;
  std::vector<std::string> choices;
  bool required = false;
  /// Takes further values of a repeated option; null: the option is given once at most.
  std::vector<std::string> Arguments::*more = nullptr;
};

/// "off" of a switch, "required", or what holds where the option is left out.
std::string default_of(const Option& option);

/// The program's state that a command may use.
struct Context {
  Console console;
  std::string program = "tune";               ///< as typed: argv[0]
  std::string line;                           ///< the whole command line, quoted for a shell
  const std::atomic<bool>* cancel = nullptr;  ///< becomes true when somebody interrupts
};

/// Runs a command, and creates the arguments that its command line is read into.
struct Deed {
  std::unique_ptr<Arguments> (*arguments)() = nullptr;
  int (*run)(const Arguments&, const Context&) = nullptr;  ///< the program's exit code
};

/// The Deed of `function`, which takes the command's own type of arguments.
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
  kIsTidied,    ///< ends it, with nothing left behind
  kIsFinished,  ///< asks it to end by itself: it has something to say
  kEndsIt,      ///< as to any process
};

struct Command {
  std::string name;  ///< empty for the one that `tune` does without a word
  std::string summary;
  std::vector<Option> options;
  std::string examples;
  Deed does;
  Interruption interruption = Interruption::kIsTidied;
};

}  // namespace tinytune
