#include "cli/completion.h"

namespace tinytune {
namespace {

std::string joined(std::span<const std::string> words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

bool is_positional(const Option& option) { return option.names[0] != '-'; }

/// Returns "-o" and "--output" for "-o,--output".
std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= option.names.size();) {
    const size_t end = std::min(option.names.find(',', begin), option.names.size());
    names.push_back(option.names.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::vector<std::string> option_words(const Command& command) {
  std::vector<std::string> words = {"--help"};
  for (const Option& option : command.options)
    if (!is_positional(option))
      for (const std::string& name : names_of(option)) words.push_back(name);
  return words;
}

std::vector<std::string> command_words(std::span<const Command> commands) {
  std::vector<std::string> words;
  for (const Command& command : commands)
    if (!command.name.empty()) words.push_back(command.name);
  return words;
}

bool takes_device(const Option& option) {
  const auto* field = std::get_if<std::string Arguments::*>(&option.field);
  return field != nullptr && *field == &Arguments::device;
}

/// Returns the possible values of an option; empty: files, or unknown.
std::vector<std::string> values_of(const Option& option, std::span<const std::string> devices) {
  if (takes_device(option)) return {devices.begin(), devices.end()};
  return option.choices;
}

std::string in_single_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("\\'") : std::string(1, c);
  return out + "'";
}

std::string in_roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    // A line that begins with a dot or a quote would be a macro call.
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string manual_of(const Option& option) {
  std::string text = ".TP\n.BI \"" + in_roff(option.names) + "\" \"";
  if (!option.value.empty()) text += " " + in_roff(option.value);
  text += "\"\n" + in_roff(option.help);
  text += " [" + in_roff(default_of(option)) + "]";
  return text + "\n";
}

}  // namespace

std::string bash_completion(std::span<const Command> commands,
                            std::span<const std::string> devices) {
  std::string out =
      "# bash completion for tune, from `tune completion bash`.\n"
      "_tune() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= w "
      "words=\n"
      "  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $w in\n      ";
  std::string names;
  for (const std::string& name : command_words(commands))
    names += (names.empty() ? "" : "|") + name;
  out += names + ") command=$w; break ;;\n    esac\n  done\n  case $command:$before in\n";
  for (const Command& command : commands)
    for (const Option& option : command.options) {
      const auto values = values_of(option, devices);
      if (is_positional(option) || values.empty()) continue;
      for (const std::string& name : names_of(option))
        out += "    " + command.name + ":" + name + ") COMPREPLY=($(compgen -W '" + joined(values) +
               "' -- \"$word\") $(compgen -f -- \"$word\")); return ;;\n";
    }
  out += "  esac\n  case $command in\n";
  for (const Command& command : commands) {
    std::string words = joined(option_words(command));
    if (command.name.empty()) words += " --version " + joined(command_words(commands));
    for (const Option& option : command.options)
      if (is_positional(option) && !option.choices.empty()) words += " " + joined(option.choices);
    out += "    " + (command.name.empty() ? "''" : command.name) + ") words='" + words + "' ;;\n";
  }
  return out +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _tune tune\n";
}

std::string zsh_completion(std::span<const Command> commands,
                           std::span<const std::string> devices) {
  return "#compdef tune\n# zsh completion for tune, from `tune completion zsh`: bash's, run by "
         "zsh.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(commands, devices);
}

std::string fish_completion(std::span<const Command> commands,
                            std::span<const std::string> devices) {
  std::string out = "# fish completion for tune, from `tune completion fish`.\n";
  const std::string all = joined(command_words(commands));
  for (const Command& command : commands) {
    const std::string when = command.name.empty() ? "not __fish_seen_subcommand_from " + all
                                                  : "__fish_seen_subcommand_from " + command.name;
    if (!command.name.empty())
      out += "complete -c tune -n " + in_single_quotes("not __fish_seen_subcommand_from " + all) +
             " -a " + command.name + " -d " + in_single_quotes(command.summary) + "\n";
    for (const Option& option : command.options) {
      if (is_positional(option)) continue;
      out += "complete -c tune -n " + in_single_quotes(when);
      for (const std::string& name : names_of(option))
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) out += " -r";
      const auto values = values_of(option, devices);
      if (!values.empty()) out += " -a " + in_single_quotes(joined(values));
      out += " -d " + in_single_quotes(option.help) + "\n";
    }
  }
  return out;
}

std::string manual_page(std::span<const Command> commands, const std::string& version) {
  std::string out = ".TH TUNE 1 \"\" \"tinytune " + in_roff(version) +
                    "\" \"User Commands\"\n.SH NAME\ntune \\- " +
                    in_roff(commands.front().summary) + "\n";
  for (const Command& command : commands) {
    const std::string typed = "tune" + (command.name.empty() ? "" : " " + command.name);
    out += ".SH \"" + in_roff(command.name.empty() ? "TUNING" : typed) + "\"\n" +
           in_roff(command.summary) + "\n";
    for (const Option& option : command.options) out += manual_of(option);
    out += ".PP\n.nf\n" + in_roff(command.examples) + "\n.fi\n";
  }
  return out;
}

}  // namespace tinytune
