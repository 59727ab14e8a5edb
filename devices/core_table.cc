#include "devices/core_table.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace tinytune {
namespace internal {
namespace {

/// A single-precision floating-point unit.
struct Fpu {
  const char* feature = nullptr;  ///< LLVM's name; null: the core has none
  const char* name = nullptr;     ///< value of -mfpu=
};
// The unit of Cortex-M7 and M33 adds instructions to round and select, which nothing here needs.
const Fpu kFpv4 = {"vfp4d16sp", "fpv4-sp-d16"};
const Fpu kFpv5 = {"fp-armv8d16sp", "fpv5-sp-d16"};

struct Core {
  std::string_view cpu;           ///< as LLVM and clang call it
  std::string_view architecture;  ///< what the triple begins with
  std::set<Capability> capabilities;
  const char* compiled_as = nullptr;  ///< earlier core named to compilers instead; null: itself
  Fpu fpu = {};                       ///< optional unit of chips with this core
};

const std::set<Capability> kWholeWords = {Capability::kMulHigh, Capability::kDivide};
const std::set<Capability> kDsp = {Capability::kDsp, Capability::kMulHigh, Capability::kDivide};
const std::set<Capability> kCachedDsp = {Capability::kDsp, Capability::kMulHigh,
                                         Capability::kDivide, Capability::kPrefetch};
const std::set<Capability> kVectors = {Capability::kDsp, Capability::kMulHigh, Capability::kDivide,
                                       Capability::kMve};

// Omitted, though LLVM 14 knows them: cores with floating point that the simulator lacks, and the
// FPU of the Cortex-M55, which shares its registers with the vectors. For the Cortex-M55, LLVM
// generates Cortex-M33 code: templates write vectors and low-overhead loops themselves.
const Core kArm[] = {{"cortex-m0", "thumbv6m", {}},
                     {"cortex-m0plus", "thumbv6m", {}},
                     {"cortex-m1", "thumbv6m", {}},
                     {"cortex-m3", "thumbv7m", kWholeWords},
                     {"cortex-m4", "thumbv7em", kDsp, nullptr, kFpv4},
                     {"cortex-m7", "thumbv7em", kCachedDsp, nullptr, kFpv5},
                     {"cortex-m23", "thumbv8m.base", {Capability::kDivide}},
                     {"cortex-m33", "thumbv8m.main", kDsp, nullptr, kFpv5},
                     {"cortex-m35p", "thumbv8m.main", kDsp, nullptr, kFpv5},
                     {"cortex-m55", "thumbv8m.main", kVectors, "cortex-m33"}};
// Extensions of RISC-V cores are features, not rows.
const Core kRiscv[] = {{"generic-rv32", "riscv32", {}},
                       {"rocket-rv32", "riscv32", {}},
                       {"sifive-e20", "riscv32", {}},
                       {"sifive-e21", "riscv32", {}},
                       {"sifive-e31", "riscv32", {}}};

/// What differs between families.
struct Family {
  std::span<const Core> cores;
  std::vector<std::string_view> systems;  ///< ends of the triple, all without operating system
  std::vector<std::string_view> features;
  std::string_view abi;
  std::string_view isa;  ///< prefix of its names
};

const Family& family_of(CoreFamily family) {
  static const Family kFamilies[] = {
      {.cores = kRiscv,
       .systems = {"-unknown-elf", "-none-elf", "-unknown-none-elf"},
       .features = {"m", "a", "c", "zba", "zbb", "zbc", "zbs", "zve32x"},
       .abi = "ilp32",
       .isa = "rv32i"},
      {.cores = kArm,
       .systems = {"-none-unknown-eabi", "-none-eabi", "-unknown-none-eabi"},
       .features = {"soft-float", "fpregs", "strict-align", "dsp"},
       .abi = "",  // the triple decides
       .isa = "armv"}};
  return kFamilies[family == CoreFamily::kArmM];
}

std::string list_of(std::span<const std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

/// Splits "+m,-c" into {"+m", "-c"}.
std::vector<std::string> split_features(std::string_view features) {
  std::vector<std::string> words;
  while (!features.empty()) {
    const size_t comma = std::min(features.find(','), features.size());
    words.emplace_back(features.substr(0, comma));
    features.remove_prefix(std::min(comma + 1, features.size()));
  }
  return words;
}

bool has_feature(const Target& target, std::string_view signed_name) {
  const auto words = split_features(target.features);
  return std::find(words.begin(), words.end(), signed_name) != words.end();
}

const Core* find_core(const Target& target) {
  for (const Core& core : family_of(target.family).cores)
    if (core.cpu == target.cpu) return &core;
  return nullptr;
}

bool is_isa(std::string_view isa, std::string_view begin) {
  constexpr std::string_view kOthers = "0123456789abcdefghijklmnopqrstuvwxyz+-._";
  return isa.starts_with(begin) && isa.size() <= 64 &&
         isa.find_first_not_of(kOthers) == std::string_view::npos;
}

}  // namespace

std::vector<std::string> known_cpus(CoreFamily family) {
  std::vector<std::string> cpus;
  for (const Core& core : family_of(family).cores) cpus.emplace_back(core.cpu);
  return cpus;
}

std::vector<std::string> known_features(CoreFamily family) {
  const auto& features = family_of(family).features;
  return {features.begin(), features.end()};
}

std::string compiler_cpu(const Target& target) {
  const Core* const core = find_core(target);
  return core != nullptr && core->compiled_as != nullptr ? core->compiled_as : target.cpu;
}

bool may_have_fpu(const Target& target) {
  const Core* const core = find_core(target);
  return target.family == CoreFamily::kArmM && core != nullptr && core->fpu.feature != nullptr;
}

bool has_fpu(const Target& target) {
  return may_have_fpu(target) &&
         has_feature(target, std::string("+") + find_core(target)->fpu.feature);
}

Target with_fpu(Target target) {
  if (!has_fpu(target)) target.features += std::string(",+") + find_core(target)->fpu.feature;
  return target;
}

Target without_fpu(Target target) {
  if (!has_fpu(target)) return target;
  const std::string word = std::string(",+") + find_core(target)->fpu.feature;
  target.features.erase(target.features.find(word), word.size());
  return target;
}

std::string fpu_name(const Target& target) {
  return has_fpu(target) ? find_core(target)->fpu.name : "";
}

bool has_open_vector_length(const Target& target) {
  return target.family == CoreFamily::kRiscv32 && has_feature(target, "+zve32x");
}

std::optional<TargetProblem> problem_with(const Target& target) {
  const Family& family = family_of(target.family);
  const Core* core = find_core(target);
  if (core == nullptr)
    return TargetProblem{"cpu", "must be one of " + list_of(known_cpus(target.family))};
  const auto fits = [&](std::string_view system) {
    return target.triple == std::string(core->architecture) + std::string(system);
  };
  if (std::none_of(family.systems.begin(), family.systems.end(), fits))
    return TargetProblem{"triple", "must be " + std::string(core->architecture) +
                                       std::string(family.systems[0]) + " for " + target.cpu};
  for (const std::string& word : split_features(target.features)) {
    const bool sign = word.starts_with('+') || word.starts_with('-');
    if (!sign || std::find(family.features.begin(), family.features.end(), word.substr(1)) ==
                     family.features.end())
      return TargetProblem{"features", "must be + or - and one of " +
                                           list_of(known_features(target.family)) +
                                           ", separated by commas"};
  }
  if (target.abi != family.abi)
    return TargetProblem{"abi", "must be \"" + std::string(family.abi) + "\""};
  if (!is_isa(target.isa, family.isa))
    return TargetProblem{"isa", "must be a name like " + std::string(family.isa) + "…"};
  return std::nullopt;
}

std::set<Capability> capabilities_of(const Target& target) {
  if (target.family == CoreFamily::kAnyC) return kWholeWords;
  if (target.family == CoreFamily::kRiscv32)
    return has_feature(target, "+m") ? kWholeWords : std::set<Capability>();
  std::set<Capability> capabilities = find_core(target)->capabilities;
  if (has_feature(target, "-dsp")) capabilities.erase(Capability::kDsp);
  return capabilities;
}

}  // namespace internal

bool sees_eight_registers(const Target& target) {
  return target.family == CoreFamily::kArmM &&
         (target.triple.starts_with("thumbv6m") || target.triple.starts_with("thumbv8m.base"));
}

std::vector<std::string> clang_arguments(const Target& target) {
  if (target.family == CoreFamily::kAnyC) return target.compiler_flags;
  std::vector<std::string> arguments = {"--target=" + target.triple};
  if (target.family == CoreFamily::kRiscv32) {
    arguments.push_back("-march=" + target.isa);
    arguments.push_back("-mabi=" + target.abi);
    return arguments;
  }
  arguments.push_back("-mcpu=" + internal::compiler_cpu(target) +
                      (internal::has_feature(target, "-dsp") ? "+nodsp" : ""));
  // softfp: functions take no floats, so the calling convention is the same with and without FPU.
  const std::string fpu = internal::fpu_name(target);
  arguments.push_back(fpu.empty() ? "-mfloat-abi=soft" : "-mfloat-abi=softfp");
  if (!fpu.empty()) arguments.push_back("-mfpu=" + fpu);
  if (internal::has_feature(target, "+strict-align")) arguments.push_back("-mno-unaligned-access");
  return arguments;
}

}  // namespace tinytune
