// The table of commands, and command lines read by it.
#include "cli/command_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "cli/command_line.h"

namespace tinytune {
namespace {

Result<CommandLine> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "tune");
  return parse_command_line(words);
}

Result<CommandLine> tune_with(std::vector<std::string> words) {
  words.insert(words.end(), {"--model", "m", "--device", "d"});
  return parse(words);
}

std::string refusal_of(const std::vector<std::string>& words) {
  const auto line = tune_with(words);
  EXPECT_FALSE(line) << words.front();
  if (line) return "";
  EXPECT_EQ(line.error().code(), ErrorCode::kInvalidInput);
  EXPECT_EQ(line.error().message().find('\n'), std::string::npos) << line.error().message();
  return line.error().message();
}

TEST(CommandTable, OptionOfSeveralCommands_MeansTheSameInAll) {
  std::map<std::string, const Option*> known;
  for (const Command& command : command_table())
    for (const Option& option : command.options) {
      const auto [at, is_first] = known.try_emplace(option.names, &option);
      if (is_first) continue;
      EXPECT_EQ(at->second->field.index(), option.field.index()) << option.names;
      EXPECT_EQ(at->second->value, option.value) << option.names;
      EXPECT_EQ(at->second->syntax, option.syntax) << option.names;
      EXPECT_EQ(at->second->choices, option.choices) << option.names;
    }
}

TEST(CommandTable, EveryRow_CanBeExplainedAndDone) {
  for (const Command& command : command_table()) {
    EXPECT_NE(command.does.run, nullptr) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_NE(command.examples.find("tune " + command.name), std::string::npos) << command.name;
    for (const Option& option : command.options) {
      EXPECT_FALSE(option.help.empty()) << option.names;
      EXPECT_EQ(option.syntax == Syntax::kChoice, !option.choices.empty()) << option.names;
      const bool is_switch = std::holds_alternative<bool Arguments::*>(option.field);
      EXPECT_EQ(is_switch || option.names[0] != '-', option.value.empty()) << option.names;
    }
  }
}

/// Words that say neither what an option does nor what its value is.
bool begins_badly(const std::string& help) {
  const std::string word = help.substr(0, help.find_first_of(" ,:;"));
  for (const char* bad : {"A", "An", "The", "What", "Where", "Which", "Who", "How", "If", "In",
                          "No", "Only", "Most", "Same", "Once", "With", "Without", "So", "It"})
    if (word == bad) return true;
  return word.empty() || std::isupper(static_cast<unsigned char>(word[0])) == 0;
}

std::string unit_of(Syntax syntax) {
  switch (syntax) {
    case Syntax::kBytes:
    case Syntax::kBytesOrNone:
      return "in bytes";
    case Syntax::kPercent:
      return "in per cent";
    case Syntax::kMilliseconds:
      return "in milliseconds";
    case Syntax::kDuration:
    case Syntax::kDurationOrNone:
      return "in seconds";
    default:
      return "";
  }
}

TEST(CommandTable, HelpOfAnOption_BeginsWithVerbOrNounAndHasUnitAndDefault) {
  for (const Command& command : command_table()) {
    std::vector<std::string> words = {"tune", "--help"};
    if (!command.name.empty()) words.insert(words.begin() + 1, command.name);
    const std::string text = parse_command_line(words)->text;
    for (const Option& option : command.options) {
      SCOPED_TRACE(command.name + " " + option.names + ": " + option.help);
      EXPECT_FALSE(begins_badly(option.help));
      EXPECT_NE(option.help.find(unit_of(option.syntax)), std::string::npos);
      EXPECT_FALSE(default_of(option).empty());
      const std::string words_of_default = "[" + default_of(option);
      EXPECT_NE(text.find(words_of_default.substr(0, words_of_default.find(' '))),
                std::string::npos);
    }
  }
  EXPECT_TRUE(begins_badly("What they allow") && begins_badly("so many bytes"));
}

TEST(CommandTable, MemoryAndPasses_AreOptionsOfWhatBuildsANetwork) {
  for (const Command& command : command_table()) {
    if (command.name != "compile" && command.name != "run" && command.name != "report") continue;
    for (const char* name :
         {"--layout", "--ram", "--arena", "--flash", "--fast-ram", "--disable-pass"})
      EXPECT_TRUE(std::any_of(command.options.begin(), command.options.end(),
                              [&](const Option& option) { return option.names == name; }))
          << command.name << " " << name;
  }
}

TEST(CommandLineWords, Bytes_HaveUnitsOf1024) {
  for (const char* text : {"98304", "96K", "96k", "96KB", "96kb", "96KiB"})
    EXPECT_EQ(tune_with({"--ram", text})->arguments->ram, 98304u) << text;
  EXPECT_EQ(tune_with({"--flash=1M"})->arguments->flash, 1u << 20);
  for (const char* text :
       {"", "0", "K", "-1", "+1", "1.5K", "96X", "010", "0x10", "96 of them", "99999999999999999E"})
    EXPECT_NE(refusal_of({std::string("--ram=") + text}).find("--ram"), std::string::npos) << text;
}

TEST(CommandLineWords, FastRam_MayBeNoneOrAll) {
  const auto fast = [](const char* text) {
    return parse({"run", "--model", "m", "--device", "d", "--fast-ram", text});
  };
  EXPECT_EQ(fast("0")->arguments->fast_ram, 0u);
  EXPECT_EQ(fast("64K")->arguments->fast_ram, 65536u);
  EXPECT_GT(*fast("all")->arguments->fast_ram, uint64_t{1} << 40);
  EXPECT_FALSE(fast("some"));
  EXPECT_FALSE(parse({"run", "--model", "m", "--device", "d"})->arguments->fast_ram.has_value());
}

TEST(CommandLineWords, Durations_AreSecondsMinutesHours) {
  const std::map<std::string, double> good = {
      {"90", 90}, {"60s", 60}, {"5m", 300}, {"1.5h", 5400}, {"0.5", 0.5}};
  for (const auto& [text, seconds] : good)
    EXPECT_EQ(tune_with({"--budget", text})->arguments->budget_seconds, seconds) << text;
  for (const char* text :
       {"", "s", "m", "-5s", "0", "0s", "5d", "nan", "inf", "5ss", "0x10", "ten", "soon"})
    EXPECT_NE(refusal_of({std::string("--budget=") + text}).find("--budget"), std::string::npos);
}

TEST(CommandLineWords, Counts_AreWholeNumbersOf64Bits) {
  EXPECT_EQ(tune_with({"--seed", "18446744073709551615"})->arguments->seed, 18446744073709551615u);
  EXPECT_EQ(tune_with({"--seed", "0"})->arguments->seed, 0u);
  for (const char* text :
       {"", "-3", "+3", "3.5", "1e3", "0x10", " 1", "010", "18446744073709551616", "many", "0"})
    EXPECT_NE(refusal_of({std::string("--trials=") + text}).find("--trials"), std::string::npos);
  EXPECT_NE(refusal_of({"--workers", "99999999999"}).find("--workers"), std::string::npos);
}

TEST(CommandLineWords, Zero_IsRefusedInWords) {
  for (const char* given : {"--trials=0", "--ram=0"})
    EXPECT_NE(refusal_of({given}).find("takes more than 0"), std::string::npos) << given;
}

TEST(CommandLineWords, Choices_AreNamedWhereAnotherIsGiven) {
  const std::string layout = refusal_of({"--layout", "chwn"});
  for (const char* word : {"chwn", "nhwc", "nchw", "auto"})
    EXPECT_NE(layout.find(word), std::string::npos) << layout;
  EXPECT_NE(refusal_of({"--tuner", "magic"}).find("xgb"), std::string::npos);
}

TEST(CommandLineWords, SlipsOfTheFinger_AreAskedAbout) {
  EXPECT_NE(refusal_of({"--trails", "3"}).find("did you mean --trials?"), std::string::npos);
  EXPECT_NE(parse({"complie"}).error().message().find("did you mean compile?"), std::string::npos);
  const std::string option = parse({"compile", "--outptu=x"}).error().message();
  EXPECT_NE(option.find("unknown option --outptu, did you mean --output?"), std::string::npos)
      << option;
  EXPECT_NE(option.find("see `tune compile --help`"), std::string::npos) << option;
  EXPECT_EQ(refusal_of({"--log", "a"}).find("did you mean"), std::string::npos);  // a command
  EXPECT_EQ(parse({"dance"}).error().message().find("did you mean"), std::string::npos);
}

TEST(CommandLineWords, HelpAndVersion_AreTexts) {
  for (const Command& command : command_table()) {
    std::vector<std::string> words = {"--help"};
    if (!command.name.empty()) words.insert(words.begin(), command.name);
    const auto line = parse(words);
    ASSERT_TRUE(line) << command.name;
    for (const Option& option : command.options)
      EXPECT_NE(line->text.find(option.names), std::string::npos) << option.names;
    EXPECT_NE(line->text.find(command.examples), std::string::npos) << line->text;
  }
  EXPECT_EQ(parse({"--version"})->text.find("tinytune "), 0u);
}

}  // namespace
}  // namespace tinytune
