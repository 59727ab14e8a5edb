#include "tests/api/cross_program.h"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/subprocess.h"
#include "base/toolchain.h"
#include "devices/device.h"

namespace tinytune::test {
namespace {

Result<std::string> run(const std::vector<std::string>& words) {
  TT_TRY_ASSIGN(const ProcessResult result, run_process(words, std::chrono::seconds(100)));
  if (result.exit_code == 0) return result.out;
  return Error(ErrorCode::kFailed, words[0] + ": " + result.out + result.err);
}

// Without start-up code nothing sets gp, so linker relaxation must not rely on it.
std::vector<std::string> compiler_for(const Device& device) {
  if (device.target.family == CoreFamily::kRiscv32)
    return {"riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-Wl,--no-relax"};
  return {"arm-none-eabi-gcc", "-mcpu=" + device.target.cpu, "-mthumb", "-mfloat-abi=soft"};
}

Result<std::string> object_of(const std::string& source, const Device& device) {
  if (source.ends_with(".o")) return source;
  const std::string object = source + ".o";
  if (source.ends_with(".ll")) {
    std::vector<std::string> words = {"llc-" + std::to_string(llvm_version()), "-filetype=obj",
                                      source, "-o", object};
    TT_TRY(run(words));
    return object;
  }
  std::vector<std::string> words = compiler_for(device);
  words.insert(words.end(),
               {"-ffreestanding", "-Wall", "-Wextra", "-Werror", "-c", source, "-o", object});
  if (!source.ends_with(".S")) words.insert(words.end(), {"-O1", "-std=c11"});
  TT_TRY(run(words));
  return object;
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

}  // namespace

Result<int64_t> call_on(const std::string& device_name, const std::string& folder,
                        const std::vector<std::string>& sources, const std::string& function) {
  TT_TRY_ASSIGN(const Device device, load_device(device_name));
  const std::string elf = folder + "/program.elf";
  std::vector<std::string> link = compiler_for(device);
  link.insert(link.end(),
              {"-nostdlib", "-nostartfiles", "-Wl,-e," + function,
               "-Wl,-Ttext=" + hex(device.memory(device.kernel_memory()).address),
               "-Wl,-Tdata=" + hex(device.memory(device.data_memory).address + 0x4000)});
  for (const std::string& source : sources) {
    TT_TRY_ASSIGN(const std::string object, object_of(folder + "/" + source, device));
    link.push_back(object);
  }
  link.insert(link.end(), {"-o", elf, "-lgcc"});
  TT_TRY(run(link));
  TT_TRY_ASSIGN(const std::string said, run({TINYTUNE_BINARY_DIR "/tune", "simulate", "--device",
                                             device_name, elf, "--call", function, "--json"}));
  return nlohmann::json::parse(said).at("return_value").get<int64_t>();
}

}  // namespace tinytune::test
