// The `tune` program.

#include <csignal>
#include <cstdlib>

#include "cli/cli.h"

int main(int argc, char** argv) {
  // Failures of writing are results of writing: a reader that is gone, a limit on file sizes.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // whoever started us may have ignored it; children report to us
  ::setenv("GRPC_VERBOSITY", "NONE", 0);  // what its errors mean is said by us, once
  return tinytune::run_cli(argc, argv);
}
