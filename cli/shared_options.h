// Options that several commands take: what each is called, how it is read and what it does.
#pragma once

#include <string>
#include <vector>

#include "cli/command_table.h"

namespace tinytune::options {

Option model();
Option device();
Option records(std::string help, std::string otherwise);
Option log();  ///< records to read; default schedules without
// Searching.
Option trials();
Option budget();
Option early_stop();
Option tuner();
Option seed();
Option window();
Option workers();

Option layout(std::string help);
Option layout_of_activations();
Option ram();
Option arena();
Option flash();
Option fast_ram();
Option disable_pass();
Option keys(std::string help);
Option json();
Option quiet();

/// One of these words, shown as "a|b|c".
Option choice(std::string names, std::string Arguments::*field, std::vector<std::string> choices,
              std::string help, std::string otherwise);

/// The same, but the command cannot do without; or can.
Option required(Option option);
Option optional(Option option, std::string otherwise);

}  // namespace tinytune::options
