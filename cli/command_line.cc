#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "base/nearest_word.h"
#include "cli/value_syntax.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

std::string description_of(const Option& option) {
  return option.help + " [" + default_of(option) + "]";
}

/// Returns "-o" for "-o,--output".
std::string short_name(const Option& option) {
  return option.names.substr(0, option.names.find(','));
}

CLI::Option* bind(CLI::App& app, const Option& option, bool& field) {
  return app.add_flag(option.names, field, description_of(option));
}

CLI::Option* bind(CLI::App& app, const Option& option, std::vector<std::string>& field) {
  if (option.names[0] != '-') return app.add_option(option.names, field, description_of(option));
  return app.add_option(option.names, field, description_of(option))
      ->expected(1)
      ->allow_extra_args(false)  // the next word may be a model
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

template <typename Value>
CLI::Option* bind(CLI::App& app, const Option& option, Value& field) {
  return app.add_option(option.names, field, description_of(option));
}

/// Stores the first value in the option's field and the others in `more`.
CLI::Option* bind_repeated(CLI::App& app, const Option& option, Arguments& arguments) {
  std::string& first = arguments.*std::get<std::string Arguments::*>(option.field);
  std::vector<std::string>& more = arguments.*option.more;
  return app
      .add_option_function<std::vector<std::string>>(
          option.names,
          [&first, &more](const std::vector<std::string>& given) {
            first = given.front();
            more.assign(given.begin() + 1, given.end());
          },
          description_of(option))
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* bind(CLI::App& app, const Option& option, Arguments& arguments) {
  if (option.more != nullptr) return bind_repeated(app, option, arguments);
  return std::visit([&](const auto field) { return bind(app, option, arguments.*field); },
                    option.field);
}

void add_options(CLI::App& app, const Command& command, Arguments& arguments) {
  for (const Option& option : command.options) {
    CLI::Option* added = bind(app, option, arguments);
    if (!option.value.empty()) added->type_name(option.value);
    set_syntax(option, *added);
  }
  app.footer(command.examples);
}

/// Returns all missing required options. CLI11 would report only the first one, and only after all
/// callbacks have run.
std::string missing_options(const CLI::App& app, const Command& command) {
  std::string missing;
  for (const Option& option : command.options)
    if (option.required && app.get_option(short_name(option))->count() == 0)
      missing += (missing.empty() ? "" : " and ") + short_name(option);
  return missing;
}

std::string help_hint(const Command& command) {
  return "; see `tune" + (command.name.empty() ? "" : " " + command.name) + " --help`";
}

/// Returns the options of `command`, and all commands if none was named.
std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words = {"--help"};
  for (const Option& option : command.options) {
    const std::string& names = option.names;
    if (names[0] == '-') words.push_back(names.substr(names.rfind(',') + 1));
  }
  if (!command.name.empty()) return words;
  words.emplace_back("--version");
  for (const Command& other : command_table())
    if (!other.name.empty()) words.push_back(other.name);
  return words;
}

std::string unexpected(const std::string& word, const Command& command) {
  const bool is_option = word.starts_with('-');
  const std::string name = is_option ? word.substr(0, word.find('=')) : word;
  std::vector<std::string> words = words_of(command);
  if (is_option) std::erase_if(words, [](const std::string& w) { return !w.starts_with('-'); });
  const std::string meant = nearest_word(name, words);
  const std::string what = is_option              ? "unknown option "
                           : command.name.empty() ? "unknown command "
                                                  : "unexpected word ";
  return what + name + (meant.empty() ? "" : ", did you mean " + meant + "?");
}

Error wrong(const std::string& why, const Command& command) {
  return Error(ErrorCode::kInvalidInput, why + help_hint(command));
}

const Command& command_named(const std::string& name) {
  for (const Command& command : command_table())
    if (command.name == name) return command;
  return command_table().front();
}

}  // namespace

Result<CommandLine> parse_command_line(std::span<const std::string> words) {
  CommandLine line;
  CLI::App app(command_table().front().summary, "tune");
  app.set_version_flag("--version", std::string("tinytune ") + version());
  app.require_subcommand(0, 1);
  std::vector<std::unique_ptr<Arguments>> of_commands;
  for (const Command& command : command_table()) {
    CLI::App* of = command.name.empty() ? &app : app.add_subcommand(command.name, command.summary);
    add_options(*of, command, *of_commands.emplace_back(command.does.arguments()));
  }
  const auto named = [&] {
    return app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  };
  const auto command = [&]() -> const Command& {
    return command_named(named() == &app ? "" : named()->get_name());
  };

  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::CallForHelp&) {
    line.text = app.help();
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.text = version.what();
    return line;
  } catch (const CLI::ExtrasError&) {
    return wrong(unexpected(app.remaining(/*recurse=*/true).front(), command()), command());
  } catch (const CLI::ParseError& error) {
    return wrong(error.what(), command());
  }
  line.command = &command();
  line.arguments = std::move(of_commands[static_cast<size_t>(line.command - &command_table()[0])]);
  if (named() != &app) {
    // `tune --seed 3 run …` would silently ignore the seed.
    for (const CLI::Option* option : app.get_options())
      if (option->count() > 0) {
        return wrong("options belong after the command: tune " + line.command->name + " " +
                         option->get_name(),
                     *line.command);
      }
  }
  const std::string missing = missing_options(*named(), *line.command);
  if (!missing.empty()) return wrong("missing " + missing, *line.command);
  return line;
}

}  // namespace tinytune
