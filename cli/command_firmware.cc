#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/files.h"
#include "base/toolchain.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "codegen/packages/write_package.h"
#include "devices/board_facts.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/firmware/uf2.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {
namespace {

using namespace options;

struct FirmwareArguments : Arguments {
  std::string directory;
};

/// Describes how the runner is loaded; adds the boot loader's file to `files` if it needs one.
Result<std::string> describe_runner(std::span<const uint8_t> elf, const Device& device,
                                    const BoardFacts& facts, std::vector<GeneratedFile>& files) {
  if (facts.runner->code_bytes == 0) return std::string();  // a program on this machine
  TT_TRY_ASSIGN(const LoadableFirmware runner, loadable(elf, device));
  if (facts.runner->loader.empty())
    return fmt::format("; a debugger loads it, and starts it at {:#x}", runner.entry);
  if (facts.runner->loader != "uf2") return std::string();
  files.push_back({"runner.uf2", std::string(text_of(uf2_of(runner.segments, kUf2Rp2040)))});
  return std::string(", runner.uf2");
}

/// Builds the program that measures quantities that the device file derives, if the chip has one.
Result<std::string> add_counters(const Device& device, const BoardFacts& facts,
                                 std::vector<GeneratedFile>& files) {
  if (!has_counters(facts)) return std::string();
  TT_TRY_ASSIGN(const auto elf, build_firmware(device, facts, FirmwareProgram::kCounters));
  files.push_back({"counters.elf", std::string(text_of(elf))});
  if (facts.runner->loader != "uf2") return std::string(", counters.elf");
  TT_TRY_ASSIGN(const LoadableFirmware counters, loadable(elf, device));
  files.push_back({"counters.uf2", std::string(text_of(uf2_of(counters.segments, kUf2Rp2040)))});
  return std::string(", counters.elf, counters.uf2");
}

/// Writes the firmware and describes the files.
Result<std::string> write_firmware(const FirmwareArguments& arguments) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(arguments.device));
  TT_TRY_ASSIGN(const Device device, load_device(address.device));
  TT_TRY_ASSIGN(const BoardFacts facts, load_board_facts(address.device));
  TT_TRY_ASSIGN(const auto sources, firmware_files(device, facts));
  std::vector<GeneratedFile> files;
  for (const FirmwareFile& file : sources) files.push_back({file.name, file.contents});
  std::string text = fmt::format("{}: {} files", arguments.directory, files.size());
  const auto elf = build_firmware(device, facts);
  if (!elf && elf.error().code() != ErrorCode::kNotFound) return elf.error();
  if (elf) {
    files.push_back({"runner.elf", std::string(text_of(*elf))});
    TT_TRY_ASSIGN(const std::string more, describe_runner(*elf, device, facts, files));
    TT_TRY_ASSIGN(const std::string counters, add_counters(device, facts, files));
    text += ", runner.elf" + more + counters;
  } else {
    text += "; no " + std::string(clang_program()) + " here: make -C " + arguments.directory;
  }
  TT_TRY(write_package(arguments.directory, files));
  return text + "\n";
}

int run_firmware(const FirmwareArguments& arguments, const Context& context) {
  const Result<std::string> written = write_firmware(arguments);
  return written ? context.console.result(*written) : context.console.fail(written.error());
}

}  // namespace

Command firmware_command() {
  return {.name = "firmware",
          .summary = "Write the program that a board runs behind a serial line",
          .options = {device(),
                      {.names = "-o,--output",
                       .field = own(&FirmwareArguments::directory),
                       .value = "DIR",
                       .help = "Directory to write",
                       .required = true}},
          .examples =
              "Sources, a Makefile and, where clang is, the ELF; it lives in RAM. A chip with\n"
              "figures that nobody has measured has counters.elf as well, which does.\n"
              "\n"
              "Example: tune firmware --device qemu-virt-rv32 -o runner/",
          .does = does<run_firmware>()};
}

}  // namespace tinytune
