// [target]: the core, and what compilers must be told of it.
#include <array>

#include "devices/core_table.h"
#include "devices/device_reader.h"

namespace tinytune::internal {
namespace {

constexpr std::array kCapabilities = {Capability::kDsp, Capability::kMulHigh, Capability::kDivide};

// Files from before there was the key leave it out, and so may others: then it is all that the
// core gives.
Result<std::set<Capability>> read_capabilities(const Reader& reader, const toml::table& table,
                                               const Target& target) {
  const char* const key = "capabilities";
  const std::set<Capability> given = capabilities_of(target);
  if (!table.contains(key)) return given;
  TT_TRY_ASSIGN(const auto names, reader.get_strings(table, "[target]", key));
  std::set<Capability> capabilities;
  for (const std::string& name : names) {
    const auto known = std::find_if(kCapabilities.begin(), kCapabilities.end(),
                                    [&](Capability c) { return name_of(c) == name; });
    if (known == kCapabilities.end())
      return reader.error(*table.get(key), "unknown capability '" + name + "'");
    if (!given.contains(*known))
      return reader.error(*table.get(key), target.cpu + " has no capability '" + name + "'");
    capabilities.insert(*known);
  }
  return capabilities;
}

// Files from before it followed from the other keys have this one, and their logs its hash.
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

}  // namespace

Result<Target> read_target(const Reader& reader, const toml::table& table) {
  const std::string name = "[target]";
  TT_TRY(reader.only(
      table, name,
      {"family", "isa", "triple", "cpu", "features", "abi", "clang_arguments", "capabilities"}));
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
  TT_TRY(check_clang_arguments(reader, table, target));
  TT_TRY_ASSIGN(target.capabilities, read_capabilities(reader, table, target));
  return target;
}

}  // namespace tinytune::internal
