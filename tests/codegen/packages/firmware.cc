#include "tests/codegen/packages/firmware.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/files.h"
#include "base/toolchain.h"
#include "codegen/operators/c_writer.h"
#include "devices/device.h"
#include "tests/codegen/packages/board.h"

namespace tinytune::test {
namespace {

const std::string kFirmware = TINYTUNE_SOURCE_DIR "/tests/codegen/packages/boards/firmware.c";

std::string script(const FirmwareBoard& board, const std::string& code_section) {
  std::string text = "ENTRY(start)\nMEMORY {\n" + board.memories + "}\nSECTIONS {\n" +
                     board.more_sections +
                     "  .text : { *(.text .text.*) } > FLASH\n"
                     "  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > FLASH\n";
  if (!code_section.empty())
    text += "  .fast_text : { *(" + code_section + ") } > " + board.code_in + " AT> FLASH\n";
  if (board.code_shadows_data) text += "  .shadow (NOLOAD) : { . += SIZEOF(.fast_text); } > RAM\n";
  return text +
         "  .data : { *(.data .data.* .sdata .sdata.*) } > RAM AT> FLASH\n"
         "  .bss (NOLOAD) : { *(.bss .bss.* .sbss .sbss.* COMMON) } > RAM\n"
         "  .user_heap_stack (NOLOAD) : { . += 2048; } > RAM\n"
         "  /DISCARD/ : { *(.comment .note* .eh_frame* .ARM.exidx* .ARM.extab* .ARM.attributes) }\n"
         "}\n";
}

FirmwareSizes sizes_of(const std::vector<uint8_t>& elf) {
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  const auto section = [&](unsigned i) {
    Elf32_Shdr found;
    std::memcpy(&found, elf.data() + header.e_shoff + i * sizeof found, sizeof found);
    return found;
  };
  const char* const names =
      reinterpret_cast<const char*>(elf.data()) + section(header.e_shstrndx).sh_offset;
  FirmwareSizes sizes;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf32_Shdr s = section(i);
    const std::string name = names + s.sh_name;
    if ((s.sh_flags & SHF_ALLOC) == 0 || name == ".shadow" || name == ".compiler_helpers" ||
        name == ".user_heap_stack")
      continue;
    if ((s.sh_flags & SHF_WRITE) != 0 || name == ".fast_text") sizes.ram += s.sh_size;
    if (s.sh_type != SHT_NOBITS) sizes.flash += s.sh_size;
  }
  return sizes;
}

// Returns libgcc of the core's own tool chain, because clang has no such library for it.
std::string runtime_library(const Device& device) {
  if (device.target.can(Capability::kMulHigh)) return "";
  const ProcessResult said = run(
      {"arm-none-eabi-gcc", "-mcpu=" + device.target.cpu, "-mthumb", "-print-libgcc-file-name"});
  return said.out.substr(0, said.out.find('\n'));
}

}  // namespace

std::string lld_program() { return "ld.lld-" + std::to_string(llvm_version()); }

std::optional<FirmwareSizes> link_firmware(const FirmwareBoard& board, const std::string& package,
                                           const std::string& name, const std::string& folder,
                                           std::string& why) {
  const Device device = *load_device(board.device);
  const std::string upper = c_upper(name);
  std::vector<std::string> sources = {kFirmware};
  if (!package.empty())
    for (const std::string& source : sources_under(package))
      if (source.find("_smoke") == std::string::npos) sources.push_back(source);
  std::vector<std::string> link = {lld_program(), "-T", folder + "/firmware.ld", "-o",
                                   folder + "/firmware.elf"};
  for (const std::string& source : sources) {
    std::vector<std::string> words = clang_arguments(device.target);
    words.insert(words.begin(), clang_program());
    words.insert(words.end(),
                 {"-c", source, "-o", folder + "/" + std::to_string(link.size()) + ".o"});
    if (source.ends_with(".c"))
      words.insert(words.end(), {"-std=c11", "-O2", "-ffreestanding", "-Wall", "-Wextra"});
    if (!package.empty()) {
      words.push_back("-I" + package);
      if (source == kFirmware)
        words.insert(words.end(), {"-DNETWORK=\"" + name + ".h\"", "-DINVOKE=" + name + "_invoke",
                                   "-DARENA_ALIGNMENT=" + upper + "_ARENA_ALIGNMENT",
                                   "-DARENA_BYTES=" + upper + "_ARENA_BYTES",
                                   "-DSTACK_BYTES=" + upper + "_STACK_BYTES"});
    }
    const ProcessResult compiled = run(words);
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    link.push_back(folder + "/" + std::to_string(link.size()) + ".o");
  }
  if (const std::string library = runtime_library(device); !library.empty())
    link.push_back(library);
  const std::string code = device.fast_code_memory.empty() ? "" : device.fast_code_section;
  EXPECT_TRUE(write_file(folder + "/firmware.ld", script(board, code)));
  const ProcessResult linked = run(link);
  if (linked.exit_code != 0) {
    EXPECT_NE(linked.err.find("will not fit in region"), std::string::npos) << linked.err;
    why = linked.err.substr(0, linked.err.find('\n'));
    return std::nullopt;
  }
  const auto elf = read_file(folder + "/firmware.elf");
  EXPECT_TRUE(elf);
  return elf ? std::optional<FirmwareSizes>(sizes_of(*elf)) : std::nullopt;
}

}  // namespace tinytune::test
