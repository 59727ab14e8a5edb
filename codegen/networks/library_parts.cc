#include "codegen/networks/library_parts.h"

#include <string>

#include "codegen/kernels/kernel.h"
#include "codegen/kernels/runtime.h"
#include "codegen/networks/placement.h"

namespace tinytune {
namespace {

FastHome home_of(const GeneratedNetwork& network, const std::string& symbol) {
  for (size_t i = 0; i < network.placeable.size(); ++i)
    if (network.placeable[i].symbol == symbol) return network.homes[i];
  return 0;
}

}  // namespace

bool has_linked_parts(const GeneratedNetwork& network, const Device& device) {
  return network.parts != nullptr && device.target.compiler.empty() &&
         device.target.family != CoreFamily::kAnyC && !device.target.portable_kernels;
}

Result<std::vector<uint8_t>> kernels_object(const GeneratedNetwork& network, const Device& device) {
  std::string text;
  for (const KernelSet::Kernel& kernel : network.parts->kernels) {
    const KernelAssembly& assembly = kernel.assembly;
    text += assembly.vectors.llvm;
    text += assembly.head;
    text += home_of(network, kernel.symbol) == 0 ? assembly.section : fast_code_directive(device);
    text += assembly.rest;
  }
  return assembled(text, device);
}

Result<std::vector<uint8_t>> constants_object(const GeneratedNetwork& network,
                                              const Device& device) {
  std::vector<ConstantArray> arrays;
  for (const ConstantPool::Array& array : network.parts->arrays) {
    const FastHome home = home_of(network, array.symbol);
    arrays.push_back({array.symbol, array.bytes, kConstantAlignment,
                      home == 0 ? "" : fast_weights_section(home - 1u)});
  }
  return constants_object(arrays, device);
}

}  // namespace tinytune
