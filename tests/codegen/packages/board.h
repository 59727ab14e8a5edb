// The boards that packages are tried on: a stock cross compiler and a machine of QEMU.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace tinytune::test {

struct Board {
  std::string name;    ///< for people and test names
  std::string device;  ///< what the package is compiled for
  std::string prefix;  ///< of the tools: "arm-none-eabi-"
  std::vector<std::string> machine;
  std::string startup;  ///< a .c and a .ld of boards/
  std::vector<std::string> qemu;
};

/// What a failing test prints.
inline std::ostream& operator<<(std::ostream& out, const Board& board) { return out << board.name; }

const Board& riscv_virt();
/// All of them: RISC-V; Cortex-M4, M7 and M55 with both float ABIs.
const std::vector<Board>& boards();

/// What is missing on this machine to use the board; empty: nothing.
std::string missing_tools(const Board& board);

/// Words and their outcome; a hang or a program that does not start is a test failure.
ProcessResult run(const std::vector<std::string>& words);

/// The C and assembly under a directory, sorted; sketches' own files included.
std::vector<std::string> sources_under(const std::string& directory);

/// Compiles and links as build_program() does, and says how it went.
ProcessResult try_to_build(const Board& board, const std::string& package,
                           const std::vector<std::string>& sources, const std::string& out);

/// Compiles every source (warnings are errors) and links the program with the board's start-up and
/// without a C library. The path of the ELF; empty after a test failure.
std::string build_program(const Board& board, const std::string& package,
                          const std::vector<std::string>& sources, const std::string& out);

/// Ends within two minutes or fails the test.
ProcessResult run_under_qemu(const Board& board, const std::string& elf);

}  // namespace tinytune::test
