#include "tests/codegen/packages/board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;

const std::string kBoards = TINYTUNE_SOURCE_DIR "/tests/codegen/packages/boards/";
constexpr std::chrono::seconds kToolPatience{300}, kQemuPatience{120};

Board mps(std::string startup, std::string name, std::string device, std::string machine,
          std::string cpu, std::vector<std::string> abi) {
  std::vector<std::string> flags = {"-mcpu=" + cpu, "-mthumb"};
  flags.insert(flags.end(), abi.begin(), abi.end());
  return {std::move(name),    std::move(device),
          "arm-none-eabi-",   flags,
          std::move(startup), {"qemu-system-arm", "-M", std::move(machine), "-semihosting"}};
}

}  // namespace

const Board& riscv_virt() { return boards().front(); }

const std::vector<Board>& boards() {
  static const std::vector<Board> kAll = {
      {"riscv32_virt",
       "rv32imc",
       "riscv64-unknown-elf-",
       {"-march=rv32imc", "-mabi=ilp32"},
       "riscv_virt",
       {"qemu-system-riscv32", "-M", "virt", "-bios", "none"}},
      mps("mps2", "an386_soft_float", "cortex-m4", "mps2-an386", "cortex-m4", {"-mfloat-abi=soft"}),
      mps("mps2", "an386_hard_float", "stm32f4", "mps2-an386", "cortex-m4",
          {"-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"}),
      mps("mps2", "an500_soft_float", "stm32f7", "mps2-an500", "cortex-m7", {"-mfloat-abi=soft"}),
      mps("mps2", "an500_hard_float", "stm32f7", "mps2-an500", "cortex-m7",
          {"-mfloat-abi=hard", "-mfpu=fpv5-d16"}),
      mps("mps3", "an547_soft_float", "cortex-m55", "mps3-an547", "cortex-m55",
          {"-mfloat-abi=soft"}),
      mps("mps3", "an547_hard_float", "cortex-m55", "mps3-an547", "cortex-m55",
          {"-mfloat-abi=hard", "-mfpu=auto"}),
  };
  return kAll;
}

std::string missing_tools(const Board& board) {
  std::string missing;
  for (const std::string& tool : {board.prefix + "gcc", board.prefix + "readelf", board.qemu[0]})
    if (!run_process({tool, "--version"}, kToolPatience)) missing += " " + tool;
  return missing;
}

ProcessResult run(const std::vector<std::string>& words) {
  const auto done = run_process(words, kToolPatience);
  EXPECT_TRUE(done) << done.error().message();
  return done ? *done : ProcessResult{-1, "", ""};
}

std::vector<std::string> sources_under(const std::string& directory) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".S")
      sources.push_back(entry.path().string());
  std::sort(sources.begin(), sources.end());
  return sources;
}

ProcessResult try_to_build(const Board& board, const std::string& package,
                           const std::vector<std::string>& sources, const std::string& out) {
  std::vector<std::string> words = {board.prefix + "gcc"};
  words.insert(words.end(), board.machine.begin(), board.machine.end());
  words.insert(words.end(),
               {"-std=c11", "-O2", "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-I", package});
  std::set<std::string> folders;
  for (const auto& entry : fs::recursive_directory_iterator(package))
    if (entry.path().extension() == ".h") folders.insert(entry.path().parent_path().string());
  for (const std::string& folder : folders) words.insert(words.end(), {"-I", folder});
  words.insert(words.end(),
               {"-nostdlib", "-nostartfiles", "-Wl,--fatal-warnings", "-Wl,--no-warn-rwx-segments",
                "-T", kBoards + board.startup + ".ld", kBoards + board.startup + ".c"});
  words.insert(words.end(), sources.begin(), sources.end());
  words.insert(words.end(), {"-lgcc", "-o", out});
  return run(words);
}

std::string build_program(const Board& board, const std::string& package,
                          const std::vector<std::string>& sources, const std::string& out) {
  const ProcessResult done = try_to_build(board, package, sources, out);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "") << "the build is not silent";
  return done.exit_code == 0 ? out : "";
}

ProcessResult run_under_qemu(const Board& board, const std::string& elf) {
  std::vector<std::string> words = board.qemu;
  words.insert(words.end(), {"-display", "none", "-monitor", "none", "-serial", "stdio", "-net",
                             "none", "-kernel", elf});
  const auto done = run_process(words, kQemuPatience);
  EXPECT_TRUE(done) << board.name << ": " << done.error().message();
  return done ? *done : ProcessResult{-1, "", ""};
}

}  // namespace tinytune::test
