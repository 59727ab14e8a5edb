#include "rpc_device/boards/firmware/firmware.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/installed_program.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/toolchain.h"
#include "codegen/kernels/runtime.h"
#include "devices/core_table.h"
#include "rpc_device/boards/firmware/embedded_sources.h"
#include "simulator/elf_file.h"

namespace tinytune {
namespace {

constexpr std::chrono::seconds kBuildPatience{60};

struct Range {
  uint64_t begin = 0, end = 0;
};

// Returns the memory for kernels: the RAM that the device file names, without the runner's.
std::vector<Range> windows_of(const Device& device, const BoardFacts& facts) {
  const RunnerPlace& runner = *facts.runner;
  std::vector<Range> windows;
  for (const std::string& name : facts.ram) {
    const MemoryRegion& memory = device.memory(name);
    windows.push_back({memory.address, uint64_t{memory.address} + memory.size_bytes});
  }
  for (const Range& own :
       {Range{runner.code_address, uint64_t{runner.code_address} + runner.code_bytes},
        Range{runner.ram_address, uint64_t{runner.ram_address} + runner.ram_bytes}}) {
    std::vector<Range> left;
    for (const Range& window : windows) {
      if (own.end <= window.begin || window.end <= own.begin) {
        left.push_back(window);
        continue;
      }
      if (window.begin < own.begin) left.push_back({window.begin, own.begin});
      if (own.end < window.end) left.push_back({own.end, window.end});
    }
    windows = std::move(left);
  }
  return windows;
}

// Returns the lines of a macro, one per write.
std::string lines_of(const std::vector<SetupWrite>& writes) {
  std::string lines;
  for (const SetupWrite& write : writes)
    lines += write.is_csr
                 ? fmt::format("  __asm__ volatile(\"csrw {:#x}, %0\" ::\"r\"({:#x}u)); \\\n",
                               write.where, write.value)
                 : fmt::format("  *(volatile unsigned *){:#x}u = {:#x}u; \\\n", write.where,
                               write.value);
  return lines;
}

std::string configuration(const Device& device, const BoardFacts& facts) {
  const RunnerPlace& runner = *facts.runner;
  std::string windows;
  for (const Range& window : windows_of(device, facts))
    windows += fmt::format("{{{:#x}u, {:#x}u}}, ", window.begin, window.end - window.begin);
  // Unknown after a ROM loader, which leaves another clock than the chip's firmware sets. Counts of
  // cycles do not depend on it.
  const uint64_t clock = runner.core_clock_hz != 0 ? runner.core_clock_hz
                         : runner.loader.empty()   ? device.clock_hz.value_or(0)
                                                   : 0;
  std::string text = fmt::format(
      "/* {}: written by tune firmware from its device file. */\n"
      "#define WINDOWS {}\n#define CLOCK_HZ {}u\n"
      "#define UART_ADDRESS {:#x}u\n#define UART_CLOCK_HZ {}u\n#define UART_BAUD {}u\n"
      "#define UART_FRACTION_BITS {}u\n",
      device.name, windows, clock, runner.uart_address, runner.uart_clock_hz, runner.baud,
      runner.uart_fraction_bits);
  text += fmt::format(
      "#define UNIQUE_ID_BYTES 0\n#define UNIQUE_ID_ADDRESS {:#x}u\n#define UNIQUE_ID_SIZE {}u\n",
      facts.unique_id ? facts.unique_id->address : 0,
      facts.unique_id ? facts.unique_id->size_bytes : 0);
  if (facts.counter == CycleCounter::kCsr) {
    text += fmt::format("#define COUNTER_CSR {:#x}\n", facts.counter_csr);
    if (facts.inhibit_csr != 0)
      text += fmt::format("#define COUNTER_INHIBIT_CSR {:#x}\n#define COUNTER_INHIBIT_BIT {}\n",
                          facts.inhibit_csr, facts.inhibit_bit);
  }
  if (facts.counter == CycleCounter::kDwt) text += "#define COUNTER_DWT 1\n";
  if (internal::has_fpu(device.target)) text += "#define HAS_FPU 1\n";
  if (facts.qemu) text += fmt::format("#define ICOUNT_SHIFT {}\n", facts.qemu->icount_shift);
  if (runner.timer_now != 0)
    text += fmt::format(
        "#define TIMER_NOW {:#x}u\n#define TIMER_COMPARE {:#x}u\n#define TIMER_SHIFT {}\n",
        runner.timer_now, runner.timer_compare, runner.timer_shift);
  if (runner.plic_address != 0)
    text += fmt::format("#define PLIC_ADDRESS {:#x}u\n#define UART_INTERRUPT {}u\n",
                        runner.plic_address, runner.uart_interrupt);
  if (runner.bus_bytes != 0)
    text +=
        fmt::format("#define CODE_BUS {:#x}u\n#define DATA_BUS {:#x}u\n#define BUS_BYTES {:#x}u\n",
                    runner.code_bus_address, runner.data_bus_address, runner.bus_bytes);
  return text + "#define BOARD_SETUP \\\n" + lines_of(facts.setup) + lines_of(runner.setup) +
         "  (void)0\n";
}

std::string linker_script(const RunnerPlace& runner) {
  return fmt::format(
      "/* Memory of the runner; kernels use the rest. */\n"
      "MEMORY {{\n  code (rx) : ORIGIN = {:#x}, LENGTH = {:#x}\n"
      "  ram (rw) : ORIGIN = {:#x}, LENGTH = {:#x}\n}}\n"
      "SECTIONS {{\n"
      "  .text : {{ {} *(.literal .literal.*) *(.text .text.*) }} > "
      "code\n"
      "  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) }} > {}\n"
      "  .bss (NOLOAD) : {{\n    . = ALIGN(4);\n    runner_bss = .;\n    *(.bss .bss.* .sbss "
      ".sbss.* COMMON)\n"
      "    . = ALIGN(4);\n    runner_bss_end = .;\n  }} > ram\n"
      "  /DISCARD/ : {{ *(.ARM.exidx* .eh_frame*) }}\n"
      "  runner_stack_top = ORIGIN(ram) + LENGTH(ram);\n}}\n",
      runner.code_address, runner.code_bytes, runner.ram_address, runner.ram_bytes,
      // A reset reads the vectors first; a ROM that was given a file jumps to its first byte.
      runner.loader == "uf2" ? "KEEP(*(.start)) . = ALIGN(256); KEEP(*(.vectors))"
                             : "KEEP(*(.vectors)) KEEP(*(.start))",
      runner.bus_bytes != 0 ? "ram" : "code");  // constants are read by bytes
}

std::string counters_source(const RunnerPlace& runner) { return "counters_" + runner.uart + ".c"; }

std::vector<std::string> source_names(const Device& device, const RunnerPlace& runner,
                                      FirmwareProgram program) {
  const bool riscv = device.target.family == CoreFamily::kRiscv32;
  const std::string core = !runner.core.empty() ? runner.core : riscv ? "riscv" : "arm_m";
  std::vector<std::string> names = {"core_" + core + ".c", "uart_" + runner.uart + ".c"};
  if (program == FirmwareProgram::kCounters)
    names.push_back(counters_source(runner));
  else
    names.insert(names.begin(), {"runner.c", "digest.c"});
  return names;
}

const internal::EmbeddedSource* find_source(const std::string& name) {
  const auto& sources = internal::embedded_sources();
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const auto& source) { return source.name == name; });
  return found == sources.end() ? nullptr : &*found;
}

std::string elf_name(FirmwareProgram program) {
  return program == FirmwareProgram::kRunner ? "runner.elf" : "counters.elf";
}

// Returns whether the runner is bare-metal: it has addresses of its own. Otherwise it is a program
// on this machine.
bool is_bare(const RunnerPlace& runner) { return runner.code_bytes > 0; }

bool needs_helpers(const Device& device, const RunnerPlace& runner) {
  return device.target.family == CoreFamily::kAnyC && is_bare(runner);
}

std::vector<std::string> compiler_words(const Device& device, const RunnerPlace& runner,
                                        FirmwareProgram program) {
  const bool any_core = !device.target.compiler.empty();
  std::vector<std::string> words = {any_core ? device.target.compiler : clang_program()};
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const auto target = clang_arguments(internal::without_fpu(device.target));
  words.insert(words.end(), target.begin(), target.end());
  add({"-std=c11", any_core ? "-Os" : "-Oz", "-Wall", "-Wextra", "-Werror", "-include",
       "config.h"});
  if (is_bare(runner))
    add({"-ffreestanding", "-fno-builtin", "-ffunction-sections", "-nostdlib", "-Wl,--gc-sections",
         "-Wl,-T,runner.ld"});
  if (!any_core) add({"-fuse-ld=lld", "-Wl,-n"});  // -n: no pages, the first would hold headers
  words.insert(words.end(), {"-o", elf_name(program)});
  const auto sources = source_names(device, runner, program);
  words.insert(words.end(), sources.begin(), sources.end());
  if (needs_helpers(device, runner)) add({"helpers.c", "-lgcc"});
  return words;
}

}  // namespace

Result<std::vector<FirmwareFile>> firmware_files(const Device& device, const BoardFacts& facts) {
  if (!facts.runner)
    return Error(ErrorCode::kUnsupported,
                 "device " + device.name + " has no [board.runner] in its file");
  std::vector<FirmwareProgram> programs = {FirmwareProgram::kRunner};
  std::vector<std::string> wanted = source_names(device, *facts.runner, FirmwareProgram::kRunner);
  if (has_counters(facts)) {
    programs.push_back(FirmwareProgram::kCounters);
    wanted.push_back(counters_source(*facts.runner));
  }
  for (const char* header : {"wire.h", "board.h", "digest.h"}) wanted.emplace_back(header);
  std::vector<FirmwareFile> files;
  for (const std::string& name : wanted) {
    const internal::EmbeddedSource* found = find_source(name);
    if (found == nullptr)
      return Error(ErrorCode::kUnsupported,
                   "device " + device.name + ": there is no firmware source " + name);
    files.push_back({name, std::string(found->text)});
  }
  if (needs_helpers(device, *facts.runner))
    files.push_back({"helpers.c", std::string(c_helpers())});
  files.push_back({"config.h", configuration(device, facts)});
  files.push_back({"runner.ld", linker_script(*facts.runner)});
  std::string names = "all:", rules;
  for (const FirmwareProgram program : programs) {
    names += " " + elf_name(program);
    rules += "\n" + elf_name(program) + ": $(wildcard *.c *.h) runner.ld\n\t";
    for (const std::string& word : compiler_words(device, *facts.runner, program))
      rules += word + " ";
    rules.back() = '\n';
  }
  files.push_back({"Makefile", names + "\n" + rules});
  return files;
}

bool has_counters(const BoardFacts& facts) {
  return facts.runner && find_source(counters_source(*facts.runner)) != nullptr;
}

Result<std::vector<uint8_t>> build_firmware(const Device& device, const BoardFacts& facts,
                                            FirmwareProgram program) {
  TT_TRY_ASSIGN(const auto files, firmware_files(device, facts));
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("firmware"));
  for (const FirmwareFile& file : files)
    TT_TRY(write_file(directory.path() + "/" + file.name, file.contents));
  std::vector<std::string> words = {"env", "-C", directory.path()};
  auto compiler = compiler_words(device, *facts.runner, program);
  if (const std::string own = installed_program(compiler.front()); !own.empty())
    compiler.front() = own;
  words.insert(words.end(), compiler.begin(), compiler.end());
  TT_TRY_ASSIGN(const ProcessResult done, run_process(words, kBuildPatience));
  if (done.exit_code == 127)
    return Error(ErrorCode::kNotFound, "no " + compiler.front() + " on the PATH");
  if (done.exit_code != 0)
    return Error(ErrorCode::kFailed,
                 "building " + elf_name(program) + ": " + done.err.substr(0, done.err.find('\n')));
  return read_file(directory.path() + "/" + elf_name(program));
}

Result<LoadableFirmware> loadable(std::span<const uint8_t> elf, const Device& device) {
  TT_TRY_ASSIGN(const ElfFile file, ElfFile::open(elf, device.target.family));
  LoadableFirmware firmware;
  firmware.entry = file.header().e_entry;
  for (const Elf32_Phdr& header : file.segments()) {
    if (header.p_type != PT_LOAD || header.p_filesz == 0) continue;
    TT_TRY_ASSIGN(const auto bytes, file.part(header.p_offset, header.p_filesz, "a segment"));
    firmware.segments.push_back({header.p_paddr, {bytes.begin(), bytes.end()}});
    firmware.segments.back().bytes.resize((bytes.size() + 3) / 4 * 4);
  }
  return firmware;
}

}  // namespace tinytune
