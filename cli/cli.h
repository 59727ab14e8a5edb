// The command line of `tune`: words in, an exit code out.
#pragma once

namespace tinytune {

int run_cli(int argc, const char* const* argv);

}  // namespace tinytune
