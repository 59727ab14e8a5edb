#include <fmt/format.h>

#include "base/files.h"
#include "cli/commands.h"
#include "devices/board_facts.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/firmware/uf2.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {
namespace {

/// What was written, in words.
Result<std::string> write_firmware(const Arguments& arguments) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(arguments.device));
  TT_TRY_ASSIGN(const Device device, load_device(address.device));
  TT_TRY_ASSIGN(const BoardFacts facts, load_board_facts(address.device));
  TT_TRY_ASSIGN(const auto files, firmware_files(device, facts));
  for (const FirmwareFile& file : files)
    TT_TRY(write_file(arguments.directory + "/" + file.name, file.contents));
  std::string text = fmt::format("{}: {} files", arguments.directory, files.size());
  const auto elf = build_firmware(device, facts);
  if (!elf && elf.error().code() == ErrorCode::kNotFound)
    return text + "; no clang-14 here: make -C " + arguments.directory + "\n";
  if (!elf) return elf.error();
  TT_TRY(write_file(arguments.directory + "/runner.elf", text_of(*elf)));
  text += ", runner.elf";
  if (facts.runner->code_bytes == 0) return text + "\n";  // a program of this system
  TT_TRY_ASSIGN(const LoadableFirmware runner, loadable(*elf, device));
  if (facts.runner->loader.empty())
    return text + fmt::format("; a debugger loads it, and starts it at {:#x}\n", runner.entry);
  if (facts.runner->loader != "uf2") return text + "\n";
  TT_TRY(write_file(arguments.directory + "/runner.uf2",
                    text_of(uf2_of(runner.segments, kUf2Rp2040))));
  return text + ", runner.uf2\n";
}

}  // namespace

int run_firmware(const Arguments& arguments, const Context& context) {
  const Result<std::string> written = write_firmware(arguments);
  return written ? context.console.result(*written) : context.console.fail(written.error());
}

}  // namespace tinytune
