#include "codegen/kernels/c_compiler.h"

#include <chrono>
#include <filesystem>

#include "base/files.h"
#include "base/installed_program.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/toolchain.h"
#include "codegen/kernels/linked_regions.h"
#include "devices/core_table.h"

namespace tinytune {
namespace {

constexpr std::chrono::milliseconds kPatience{120'000};

std::vector<std::string> compilers_of(const Target& target) {
  if (!target.compiler.empty()) return {target.compiler};
  const std::string own = installed_program(clang_program());
  if (!own.empty()) return {own};
  return {clang_program(), "clang"};
}

// Runs the first installed one of the target's compilers. If that one fails, the other is not
// tried, so that the failure stays visible.
Result<ProcessResult> run_compiler(const Target& target, const std::vector<std::string>& words) {
  std::vector<std::string> all = {""};
  const std::vector<std::string> core = clang_arguments(target);
  all.insert(all.end(), core.begin(), core.end());
  all.insert(all.end(), words.begin(), words.end());
  const std::vector<std::string> programs = compilers_of(target);
  for (const std::string& program : programs) {
    all[0] = program;
    auto result = run_process(all, kPatience);
    const bool missing =
        result ? result->exit_code == 127 : result.error().code() == ErrorCode::kNotFound;
    if (!missing) return result;
  }
  return Error(ErrorCode::kNotFound, programs.size() == 1
                                         ? "no " + programs[0] + " is on the PATH"
                                         : "neither " + programs[0] + " nor clang is on the PATH");
}

}  // namespace

Result<std::vector<uint8_t>> compile_source(const std::string& source, const std::string& object,
                                            const std::string& include_directory,
                                            const Device& device, Warnings warnings) {
  std::vector<std::string> words;
  if (source.ends_with(".c")) words = {"-std=c11", "-O2", "-ffreestanding", "-Wall", "-Wextra"};
  // Later LLVMs vectorise C loops for RISC-V, and LLVM 19 crashes on some of them.
  if (source.ends_with(".c") && device.target.vector_bits > 0 && device.target.compiler.empty())
    words.emplace_back("-fno-vectorize");
  words.emplace_back(warnings == Warnings::kAreErrors ? "-Werror" : "-w");
  words.insert(words.end(), {"-I" + include_directory, "-c", source, "-o", object});
  TT_TRY_ASSIGN(const ProcessResult done, run_compiler(device.target, words));
  if (done.exit_code != 0)
    return Error(ErrorCode::kFailed,
                 std::filesystem::path(source).filename().string() + ": " + done.err);
  return read_file(object);
}

Result<std::vector<uint8_t>> compile_text(std::string_view text, const Device& device) {
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("kernel"));
  const std::string source = directory.file("kernel.c");
  TT_TRY(write_file(source, text));
  Device plain = device;
  plain.target = internal::without_fpu(plain.target);
  return compile_source(source, directory.file("kernel.o"), directory.path(), plain);
}

Result<std::string> compiler_library(const Target& target) {
  if (target.family == CoreFamily::kAnyC) return std::string();  // its driver knows
  // Asks without extensions such as _zve32x: with them GCC 12.2 answers with the library of a
  // 64-bit core, and the helpers are the same.
  const std::string isa = target.isa.substr(0, target.isa.find('_'));
  const std::vector<std::string> words =
      target.family == CoreFamily::kArmM
          ? std::vector<std::string>{"arm-none-eabi-gcc", "-mcpu=" + internal::compiler_cpu(target),
                                     "-mthumb"}
          : std::vector<std::string>{"riscv64-unknown-elf-gcc", "-march=" + isa,
                                     "-mabi=" + target.abi};
  std::vector<std::string> all = words;
  all.emplace_back("-print-libgcc-file-name");
  const auto done = run_process(all, kPatience);
  if (!done || done->exit_code != 0) return std::string();
  const std::string path = done->out.substr(0, done->out.find('\n'));
  return std::filesystem::is_regular_file(path) ? path : std::string();
}

Result<std::vector<uint8_t>> compile_to_bitcode(std::string_view text, const Device& device) {
  if (!device.target.compiler.empty())
    return Error(ErrorCode::kUnsupported, device.target.compiler + " writes no LLVM bitcode");
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("kernel"));
  const std::string source = directory.file("kernel.c"), bitcode = directory.file("kernel.bc");
  TT_TRY(write_file(source, text));
  TT_TRY_ASSIGN(const ProcessResult done,
                run_compiler(internal::without_fpu(device.target),
                             {"-std=c11", "-O2", "-ffreestanding", "-emit-llvm", "-c", source, "-o",
                              bitcode}));
  if (done.exit_code != 0) return Error(ErrorCode::kFailed, "kernel.c: " + done.err);
  return read_file(bitcode);
}

Status link_by_compiler(const std::vector<std::string>& objects, const std::string& helpers,
                        const std::string& script, const std::string& entry,
                        const std::string& output, const Device& device) {
  std::vector<std::string> words = {"-nostdlib",           "-static", "-Wl,--no-warn-rwx-segments",
                                    "-Wl,--build-id=none", "-T",      script,
                                    "-Wl,-e," + entry,     "-o",      output};
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), {"-lgcc", helpers});
  TT_TRY_ASSIGN(const ProcessResult done, run_compiler(device.target, words));
  if (done.exit_code == 0) return ok_status();
  if (const auto overflow = overflow_text(done.err, device))
    return Error(ErrorCode::kInvalidInput, *overflow);
  return Error(ErrorCode::kUnsupported, device.target.compiler + ": " + done.err);
}

}  // namespace tinytune
