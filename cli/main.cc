// The `tune` program.

#include <csignal>
#include <cstdlib>

#include "cli/cli.h"

int main(int argc, char** argv) {
  // Write errors (a closed pipe, a limit on file sizes) are reported by write calls, not by
  // signals.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // the parent may have ignored it; waiting for children needs it
  ::setenv("GRPC_VERBOSITY", "NONE", 0);  // tune reports gRPC's errors in its own messages
  return tinytune::run_cli(argc, argv);
}
