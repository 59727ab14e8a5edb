// Boards on which packages are tested: a stock cross compiler and a machine of QEMU.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace tinytune::test {

struct Board {
  std::string name;    ///< for messages and test names
  std::string device;  ///< for which the package is compiled
  std::string prefix;  ///< of the tools: "arm-none-eabi-"
  std::vector<std::string> machine;
  std::string startup;  ///< name of a .c and a .ld file in boards/
  std::vector<std::string> qemu;
};

/// Printed by a failing test.
inline std::ostream& operator<<(std::ostream& out, const Board& board) { return out << board.name; }

const Board& riscv_virt();
/// All of them: RISC-V; Cortex-M4, M7 and M55 with both float ABIs.
const std::vector<Board>& boards();

/// Returns the tools of the board that this machine lacks; empty: none.
std::string missing_tools(const Board& board);

/// Runs a command; a hang or a program that does not start is a test failure.
ProcessResult run(const std::vector<std::string>& words);

/// Returns the .c and .S files under a directory, sorted.
std::vector<std::string> sources_under(const std::string& directory);

/// Compiles and links as build_program() does, and returns the compiler's outcome.
ProcessResult try_to_build(const Board& board, const std::string& package,
                           const std::vector<std::string>& sources, const std::string& out);

/// Compiles every source (warnings are errors) and links the program with the board's start-up and
/// without a C library. Returns the path of the ELF; empty after a test failure.
std::string build_program(const Board& board, const std::string& package,
                          const std::vector<std::string>& sources, const std::string& out);

/// Runs the program; a run of more than two minutes fails the test.
ProcessResult run_under_qemu(const Board& board, const std::string& elf);

}  // namespace tinytune::test
