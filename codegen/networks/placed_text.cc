#include "codegen/networks/placed_text.h"

#include <map>

#include "base/check.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/outside_text.h"

namespace tinytune {
namespace {

using Users = std::map<std::string, std::vector<std::string>>;

/// The functions that use a kernel or an array, by its symbol.
Users users_by_symbol(const std::vector<LayerFunction>& functions) {
  Users users;
  for (const LayerFunction& f : functions)
    for (const auto* list : {&f.uses.kernels, &f.uses.constants})
      for (const std::string& symbol : *list) users[symbol].push_back(f.symbol);
  return users;
}

bool moves_code(const Device& device) { return !device.fast_code_memory.empty(); }
bool moves_constants(const Device& device) { return !device.fast_rodata_memories.empty(); }

}  // namespace

std::vector<PlaceablePart> placeable_parts(const NetworkParts& parts) {
  Users users = users_by_symbol(parts.functions);
  std::vector<PlaceablePart> all;
  if (moves_code(parts.device)) {
    // Layers with a kernel do nothing of their own.
    PlaceablePart layers{"", true, 0, {}, !parts.out_of_flash.empty()};
    for (const LayerFunction& f : parts.functions)
      if (f.uses.kernels.empty()) layers.layers.push_back(f.symbol);
    all.push_back(std::move(layers));
    for (const KernelSet::Kernel& kernel : parts.kernels)
      all.push_back({kernel.symbol, true, 0, std::move(users[kernel.symbol]),
                     parts.out_of_flash.contains(kernel.symbol)});
  }
  if (moves_constants(parts.device)) {
    for (const ConstantPool::Array& array : parts.constants.arrays())
      if (!parts.arriving.contains(array.symbol))
        all.push_back({array.symbol, false, static_cast<uint32_t>(array.bytes.size()),
                       std::move(users[array.symbol])});
  }
  return all;
}

std::string placed_declarator(const NetworkParts& parts, const ConstantPool::Array& array) {
  if (!moves_constants(parts.device) || parts.arriving.contains(array.symbol))
    return "const " + c_declarator(array);
  return c_upper(parts.name) + "_IN(" + placement_switch(parts.name, array.symbol) + ") " +
         c_declarator(array);
}

std::string placed_assembly(const NetworkParts& parts, const KernelSet::Kernel& kernel) {
  if (!moves_code(parts.device)) return kernel.assembly.text();
  TT_CHECK(!kernel.assembly.section.empty(), kernel.symbol + " has no section of its own");
  return kernel.assembly.vectors.text() + kernel.assembly.head + "#if " +
         placement_switch(parts.name, kernel.symbol) + "\n" + fast_code_directive(parts.device) +
         "#else\n" + kernel.assembly.section + "#endif\n" + kernel.assembly.rest;
}

std::string placed_function(const NetworkParts& parts, const KernelSet::Kernel& kernel) {
  if (!moves_code(parts.device)) return "";
  return "#if " + placement_switch(parts.name, kernel.symbol) + "\n__attribute__((section(" +
         c_upper(parts.name) + "_FAST_CODE_SECTION)))\n#endif\n";
}

std::string placed_code(const NetworkParts& parts) {
  return moves_code(parts.device) ? c_upper(parts.name) + "_CODE " : "";
}

std::string include_placement(const NetworkParts& parts) {
  return parts.placeable.empty() ? "" : "#include \"" + parts.name + "_placement.h\"\n";
}

}  // namespace tinytune
