// Options shared by several commands: names, syntax, fields and help.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tinytune::options {

Option model();
Option models();  ///< one model, or several that share an arena
Option device();
Option records(std::string help, std::string otherwise);
Option log();  ///< records to read; without it, default schedules
Option trials();
Option window();
std::vector<Option> searching();      ///< limits and strategy of the search
std::vector<Option> memory_limits();  ///< --ram, --arena, --flash, --fast-ram
Option ram();
Option flash();
Option workers();
Option board_patience(std::string otherwise = "5m");
Option layout(std::string help);
Option layout_of_activations();
Option arena();
Option arena_front();
Option stream_input();
Option disable_pass();
Option external();
Option input_type();
Option state();
Option portable();
Option cores();
Option compress_weights();
Option arrival();
Option keys(std::string help);
Option json();
Option quiet();
std::vector<Option> loading();  ///< LoadOptions: passes, external operators, types, state
std::vector<Option>
generating();  ///< code generation: portable, two cores, weights copied during computation

/// Concatenates single options and groups to a command's list.
std::vector<Option> all_of(std::initializer_list<std::vector<Option>> groups);

/// Makes an option with one of these words as value, shown as "a|b|c".
Option choice(std::string names, std::string Arguments::*field, std::vector<std::string> choices,
              std::string help, std::string otherwise);

/// Returns the option as required; or as optional, with this default.
Option required(Option option);
Option optional(Option option, std::string otherwise);

}  // namespace tinytune::options
