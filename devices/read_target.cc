// Reads [target]: the core and the compiler settings for it.
#include <array>

#include "devices/core_table.h"
#include "devices/device_reader.h"

namespace tinytune::internal {
namespace {

constexpr std::array kCapabilities = {Capability::kDsp, Capability::kMulHigh, Capability::kDivide,
                                      Capability::kPrefetch, Capability::kMve};

// Reads the capabilities; the key is optional, and its default is all that the core has.
Result<std::set<Capability>> read_capabilities(const Reader& reader, const toml::table& table,
                                               const Target& target) {
  const char* const key = "capabilities";
  const std::set<Capability> given = capabilities_of(target);
  if (!table.contains(key)) return given;
  TT_TRY_ASSIGN(const auto names, reader.get_strings(table, "[target]", key));
  std::set<Capability> capabilities;
  for (const std::string& name : names) {
    if (name == kFpuCapability && may_have_fpu(target)) continue;  // a feature: core_table.h
    const auto known = std::find_if(kCapabilities.begin(), kCapabilities.end(),
                                    [&](Capability c) { return name_of(c) == name; });
    if (known == kCapabilities.end() && name != kFpuCapability)
      return reader.error(*table.get(key), "unknown capability '" + name + "'");
    if (known == kCapabilities.end() || !given.contains(*known))
      return reader.error(*table.get(key), target.cpu + " has no capability '" + name + "'");
    capabilities.insert(*known);
  }
  return capabilities;
}

// Returns whether the file lists an FPU. It is optional on chips, so the default is none.
Result<bool> lists_fpu(const Reader& reader, const toml::table& table) {
  if (!table.contains("capabilities")) return false;
  TT_TRY_ASSIGN(const auto names, reader.get_strings(table, "[target]", "capabilities"));
  return std::find(names.begin(), names.end(), kFpuCapability) != names.end();
}

// Accepts the redundant key clang_arguments only with the value derived from the other keys, which
// is the one that is hashed.
Status check_clang_arguments(const Reader& reader, const toml::table& table, const Target& target) {
  const char* const key = "clang_arguments";
  if (!table.contains(key)) return ok_status();
  TT_TRY_ASSIGN(const auto written, reader.get_strings(table, "[target]", key));
  const std::vector<std::string> derived = clang_arguments(target);
  if (written == derived) return ok_status();
  std::string list;
  for (const std::string& argument : derived) list += (list.empty() ? "" : " ") + argument;
  return reader.error(*table.get(key),
                      "clang_arguments follow from the other keys; leave them out "
                      "(here they are " +
                          list + ")");
}

// A device file must not be able to run an arbitrary program: its compiler is a name on the PATH,
// and its flags only select a machine. Other flags load plug-ins, or read and write files.
constexpr std::string_view kCompilerRule =
    "a program's name on the PATH that ends in gcc, clang or cc, and perhaps a version";

bool is_compiler(std::string_view text) {
  while (!text.empty() && ((text.back() >= '0' && text.back() <= '9') || text.back() == '.'))
    text.remove_suffix(1);
  if (text.ends_with('-')) text.remove_suffix(1);
  return is_name(text) && (text.ends_with("gcc") || text.ends_with("clang") || text == "cc" ||
                           text.ends_with("-cc"));
}

bool is_machine_flag(std::string_view flag) {
  if (flag.starts_with("--target=")) return is_name(flag.substr(9));
  if (!flag.starts_with("-m") || flag.starts_with("-mllvm")) return false;
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=._+-";
  return flag.size() <= 64 && flag.find_first_not_of(kAllowed) == std::string_view::npos;
}

// Reads the bits of a vector register if the instruction set leaves them open.
Status read_vector_length(const Reader& reader, const toml::table& table, Target& target) {
  const char* const key = "vlen";
  const bool open = has_open_vector_length(target);
  if (open != table.contains(key))
    return reader.error(table, open ? "[target] needs vlen: the core has the feature zve32x"
                                    : "[target] has vlen, but not the feature zve32x");
  if (!open) return ok_status();
  TT_TRY_ASSIGN(target.vector_bits, reader.get_word(table, "[target]", key));
  constexpr uint32_t kLeast = 32, kMost = 1024;
  const bool power = (target.vector_bits & (target.vector_bits - 1)) == 0;
  if (power && target.vector_bits >= kLeast && target.vector_bits <= kMost) return ok_status();
  return reader.error(*table.get(key), "vlen must be a power of two from 32 to 1024 bits");
}

// Reads a core of which only a C compiler is known. Kernels are optimised for a generic 32-bit
// machine before they are printed as C. Capabilities are what the file claims, as nothing else is
// known of the core.
Result<Target> read_any_core(const Reader& reader, const toml::table& table) {
  const std::string name = "[target]";
  TT_TRY(reader.only(table, name, {"isa", "compiler", "flags", "capabilities"}));
  Target target;
  target.family = CoreFamily::kAnyC;
  target.triple = "riscv32-unknown-elf";
  target.cpu = "generic-rv32";
  target.features = "+m";
  target.abi = "ilp32";
  target.portable_kernels = true;
  TT_TRY_ASSIGN(target.isa, reader.get_name(table, name, "isa"));
  TT_TRY_ASSIGN(target.compiler,
                reader.get_text(table, name, "compiler", is_compiler, kCompilerRule));
  if (table.contains("flags")) {
    TT_TRY_ASSIGN(target.compiler_flags, reader.get_strings(table, name, "flags"));
    for (const std::string& flag : target.compiler_flags)
      if (!is_machine_flag(flag))
        return reader.error(*table.get("flags"),
                            "'" + flag + "' is no flag of the core: -m… or --target=NAME");
  }
  if (!table.contains("capabilities")) return target;
  TT_TRY_ASSIGN(target.capabilities, read_capabilities(reader, table, target));
  return target;
}

}  // namespace

Result<Target> read_target(const Reader& reader, const toml::table& table) {
  const std::string name = "[target]";
  if (table.contains("compiler")) return read_any_core(reader, table);
  TT_TRY(reader.only(table, name,
                     {"family", "isa", "triple", "cpu", "features", "abi", "vlen",
                      "clang_arguments", "capabilities"}));
  Target target;
  TT_TRY_ASSIGN(const std::string family, reader.get<std::string>(table, name, "family"));
  if (family == "riscv32") {
    target.family = CoreFamily::kRiscv32;
  } else if (family == "arm-m") {
    target.family = CoreFamily::kArmM;
  } else {
    return reader.error(*table.get("family"),
                        "family '" + family + "' is neither riscv32 nor arm-m");
  }
  TT_TRY_ASSIGN(target.isa, reader.get<std::string>(table, name, "isa"));
  TT_TRY_ASSIGN(target.triple, reader.get<std::string>(table, name, "triple"));
  TT_TRY_ASSIGN(target.cpu, reader.get<std::string>(table, name, "cpu"));
  TT_TRY_ASSIGN(target.features, reader.get<std::string>(table, name, "features"));
  TT_TRY_ASSIGN(target.abi, reader.get<std::string>(table, name, "abi"));
  if (const auto problem = problem_with(target))
    return reader.error(*table.get(problem->key),
                        "key '" + problem->key + "' in " + name + " " + problem->what);
  TT_TRY(read_vector_length(reader, table, target));
  TT_TRY(check_clang_arguments(reader, table, target));
  TT_TRY_ASSIGN(target.capabilities, read_capabilities(reader, table, target));
  TT_TRY_ASSIGN(const bool fpu, lists_fpu(reader, table));
  return fpu ? with_fpu(std::move(target)) : target;
}

}  // namespace tinytune::internal
