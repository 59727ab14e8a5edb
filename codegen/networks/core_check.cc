// What compilers say of the core they compile for, against the device that kernels were made for.
// Macros: Arm C Language Extensions (IHI 0053), chapter 6; RISC-V C API specification,
// "Architecture Extension Test Macros".
#include <charconv>
#include <vector>

#include "codegen/networks/network_parts.h"
#include "codegen/operators/outside_text.h"
#include "devices/core_table.h"

namespace tinytune {
namespace {

std::vector<std::string> arm_conditions(const Target& target) {
  const std::string_view triple = target.triple;  // "thumbv7em-none-unknown-eabi"
  constexpr std::string_view kBefore = "thumbv";
  int version = 6;
  std::from_chars(triple.data() + kBefore.size(), triple.data() + triple.size(), version);
  std::vector<std::string> conditions = {"defined(__ARM_ARCH)", "defined(__thumb__)",
                                         "__ARM_ARCH >= " + std::to_string(version)};
  const bool base_line = version == 6 || triple.starts_with("thumbv8m.base");
  if (!base_line) conditions.emplace_back("__ARM_ARCH_ISA_THUMB >= 2");
  if (target.can(Capability::kDsp)) conditions.emplace_back("defined(__ARM_FEATURE_DSP)");
  return conditions;
}

// Leaves out compressed and atomic instructions, which concern at most the assembler.
std::vector<std::string> riscv_conditions(const Target& target) {
  std::vector<std::string> conditions = {"defined(__riscv)", "__riscv_xlen == 32"};
  if (target.can(Capability::kMulHigh)) conditions.emplace_back("defined(__riscv_mul)");
  for (size_t at = 0; at < target.features.size();) {
    const size_t end = std::min(target.features.find(',', at), target.features.size());
    const std::string feature = target.features.substr(at, end - at);
    if (feature.starts_with("+z"))
      conditions.push_back("defined(__riscv_" + feature.substr(1) + ")");
    at = end + 1;
  }
  return conditions;
}

}  // namespace

std::string print_core_check(const std::string& name, const Device& device) {
  const Target& target = device.target;
  std::string all;
  for (const std::string& condition :
       target.family == CoreFamily::kRiscv32 ? riscv_conditions(target) : arm_conditions(target))
    all += (all.empty() ? "" : " && ") + condition;
  return "#if !(" + all + ")\n#error \"" + name + " is made for " + in_c_string(device.name) +
         " (" + in_c_string(target.isa) + "): compile it for that core, with " +
         in_c_string(core_flags(target)) + "\"\n#endif\n";
}

std::string core_flags(const Target& target) {
  if (target.family == CoreFamily::kAnyC) {
    std::string flags;
    for (const std::string& flag : target.compiler_flags)
      flags += (flags.empty() ? "" : " ") + flag;
    return flags;
  }
  if (target.family == CoreFamily::kArmM) {
    const std::string fpu = internal::fpu_name(target);
    return "-mcpu=" + target.cpu + " -mthumb" +
           (fpu.empty() ? "" : " -mfpu=" + fpu + " -mfloat-abi=hard");
  }
  return "-march=" + target.isa + " -mabi=" + target.abi;
}

}  // namespace tinytune
