#include "tests/simulator/program.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/subprocess.h"

namespace tinytune {
namespace {

using std::chrono::seconds;

void run(const std::vector<std::string>& argv) {
  const auto result = run_process(argv, seconds(60));
  if (!result) throw std::runtime_error(result.error().message());
  if (result->exit_code != 0) throw std::runtime_error(argv[0] + ": " + result->err);
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

std::vector<uint8_t> build(const std::string& source, const std::string& suffix,
                           const Device& device, const std::string& march,
                           const std::vector<std::string>& extra) {
  const std::string stem =
      std::filesystem::temp_directory_path() / ("tinytune_program_" + std::to_string(getpid()));
  const std::string in = stem + suffix, object = stem + ".o", elf = stem + ".elf";
  std::ofstream(in) << source;
  std::vector<std::string> clang = {TINYTUNE_TEST_CLANG, "-c", in, "-o", object, "-mno-relax",
                                    "-ffreestanding"};
  if (device.target.family != CoreFamily::kRiscv32) std::erase(clang, "-mno-relax");
  for (const std::string& argument : clang_arguments(device.target)) clang.push_back(argument);
  clang.insert(clang.end(), extra.begin(), extra.end());
  if (!march.empty()) clang.push_back("-march=" + march);
  run(clang);
  run({TINYTUNE_TEST_LLD, object, "-o", elf, "-e", "f", "-n",
       "-Ttext=" + hex(device.memory(device.kernel_memory()).address),
       "-Tdata=" + hex(device.memory(device.data_memory).address + 0x8000)});
  std::ifstream file(elf, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& path : {in, object, elf}) unlink(path.c_str());
  return bytes;
}

template <typename T>
T expect(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}

}  // namespace

std::vector<uint8_t> assemble(const std::string& source, const Device& device,
                              const std::string& march) {
  const std::string prologue =
      device.target.family == CoreFamily::kRiscv32
          ? ".text\n.globl f\n.type f,@function\n"
          : ".syntax unified\n.thumb\n.text\n.globl f\n.type f,%function\n";
  return build(prologue + source + "\n", ".s", device, march, {});
}

std::vector<uint8_t> compile_c(const std::string& source, const Device& device) {
  return build(source, ".c", device, "", {"-O2", "-std=c11"});
}

Device in_flash(const std::string& device_name) {
  Device device = expect(load_device(device_name));
  device.fast_code_memory.clear();
  return device;
}

Program::Program(const std::string& device_name, const std::string& source,
                 const std::string& march)
    : Program(expect(load_device(device_name)), source, march) {}

Program::Program(const Device& device, const std::string& source, const std::string& march)
    : device_(device),
      simulator_(expect(Simulator::create(device_))),
      info_(expect(simulator_.load(assemble(source, device_, march)))) {}

CallReport Program::call(std::vector<uint32_t> arguments, const CallOptions& options) {
  return expect(simulator_.call(symbol("f"), arguments, options));
}

Ran run(const Device& device, const std::vector<uint8_t>& elf, const std::string& function,
        uint64_t limit) {
  std::string output;
  ProgramOptions options;
  options.function = function;
  options.instruction_limit = limit;
  options.print = [&](std::string_view text) { output += text; };
  auto report = run_program(device, *load_program_facts(device.name), elf, options);
  return {std::move(report), output};
}

std::string refusal(const Ran& ran) { return ran.report ? "" : ran.report.error().message(); }

}  // namespace tinytune
