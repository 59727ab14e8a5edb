// One table of everything that can be typed: commands, their options, help and examples.
//
// It is data, so that whatever tells about the program (help today) and whatever reads its command
// line (command_line.h) cannot disagree. An option is declared once and means the same in every
// command that takes it; a command adds a row here, and a function that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"

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

/// Where a value goes; its type says whether the option is a switch, or may be repeated.
using Field =
    std::variant<bool Arguments::*, std::string Arguments::*, uint64_t Arguments::*,
                 std::optional<std::string> Arguments::*, std::optional<uint64_t> Arguments::*,
                 std::optional<int> Arguments::*, std::optional<double> Arguments::*,
                 std::vector<std::string> Arguments::*>;

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

/// What a signal does to a command under way (interrupts.h).
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
  int (*run)(const Arguments&, const Context&) = nullptr;
  Interruption interruption = Interruption::kIsTidied;
};

/// "off" of a switch, "required", or what holds where the option is left out.
std::string default_of(const Option& option);

/// The first is the one without a name.
std::span<const Command> command_table();

}  // namespace tinytune
