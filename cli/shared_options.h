// Options that several commands take: what each is called, how it is read and what it does.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tinytune::options {

Option model();
Option models();  ///< one, or several that share an arena
Option device();
Option records(std::string help, std::string otherwise);
Option log();  ///< records to read; default schedules without
Option trials();
Option window();
std::vector<Option> searching();      ///< how long, which way
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
std::vector<Option>
loading();  ///< how a model is read: passes, operators of one's own, types, state
std::vector<Option>
generating();  ///< what code: portable, for two cores, with weights that come late

/// In this order; a command's list is made of single options and of groups.
std::vector<Option> all_of(std::initializer_list<std::vector<Option>> groups);

/// One of these words, shown as "a|b|c".
Option choice(std::string names, std::string Arguments::*field, std::vector<std::string> choices,
              std::string help, std::string otherwise);

/// The same, but the command cannot do without; or can.
Option required(Option option);
Option optional(Option option, std::string otherwise);

}  // namespace tinytune::options
