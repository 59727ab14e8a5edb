#include "codegen/networks/placed_text.h"

#include <algorithm>

#include "base/check.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/outside_text.h"

namespace tinytune {
namespace {

std::vector<std::string> users_of(const NetworkParts& parts, std::vector<std::string> Uses::*list,
                                  const std::string& symbol) {
  std::vector<std::string> users;
  for (const LayerFunction& f : parts.functions)
    if (const auto& used = f.uses.*list; std::find(used.begin(), used.end(), symbol) != used.end())
      users.push_back(f.symbol);
  return users;
}

const PlaceablePart* find_part(const NetworkParts& parts, const std::string& symbol) {
  const auto found = std::find_if(parts.placeable.begin(), parts.placeable.end(),
                                  [&](const PlaceablePart& part) { return part.symbol == symbol; });
  return found == parts.placeable.end() ? nullptr : &*found;
}

}  // namespace

std::vector<PlaceablePart> placeable_parts(const NetworkParts& parts) {
  std::vector<PlaceablePart> all;
  if (!parts.device.fast_code_memory.empty()) {
    // Layers with a kernel do nothing of their own.
    PlaceablePart layers{"", true, 0, {}};
    for (const LayerFunction& f : parts.functions)
      if (f.uses.kernels.empty()) layers.layers.push_back(f.symbol);
    all.push_back(std::move(layers));
    for (const KernelSet::Kernel& kernel : parts.kernels)
      all.push_back({kernel.symbol, true, 0, users_of(parts, &Uses::kernels, kernel.symbol)});
  }
  if (!parts.device.fast_rodata_memory.empty()) {
    for (const ConstantPool::Array& array : parts.constants.arrays())
      all.push_back({array.symbol, false, static_cast<uint32_t>(array.bytes.size()),
                     users_of(parts, &Uses::constants, array.symbol)});
  }
  return all;
}

std::string placed_declarator(const NetworkParts& parts, const ConstantPool::Array& array) {
  const PlaceablePart* part = find_part(parts, array.symbol);
  if (part == nullptr) return "const " + c_declarator(array);
  return c_upper(parts.name) + "_IN(" + placement_switch(parts.name, *part) + ") " +
         c_declarator(array);
}

std::string placed_assembly(const NetworkParts& parts, const KernelSet::Kernel& kernel) {
  const PlaceablePart* part = find_part(parts, kernel.symbol);
  if (part == nullptr) return kernel.assembly.text();
  TT_CHECK(!kernel.assembly.section.empty(), kernel.symbol + " has no section of its own");
  const bool riscv = parts.device.target.family == CoreFamily::kRiscv32;
  return kernel.assembly.head + "#if " + placement_switch(parts.name, *part) + "\n\t.section\t" +
         as_symbol_word(parts.device.fast_code_section) + ",\"ax\"," + (riscv ? "@" : "%") +
         "progbits\n#else\n" + kernel.assembly.section + "#endif\n" + kernel.assembly.rest;
}

std::string placed_code(const NetworkParts& parts) {
  return find_part(parts, "") == nullptr ? "" : c_upper(parts.name) + "_CODE ";
}

std::string include_placement(const NetworkParts& parts) {
  return parts.placeable.empty() ? "" : "#include \"" + parts.name + "_placement.h\"\n";
}

}  // namespace tinytune
