// The text that differs if a part of the library can move to fast memory.
#pragma once

#include <string>

#include "codegen/networks/network_parts.h"

namespace tinytune {

/// Returns the parts that can move; none on a device without fast memories.
std::vector<PlaceablePart> placeable_parts(const NetworkParts& parts);

// On a device without fast memory for a part, these return its text without placement.

/// "const int8_t name[4]", or the macro of its memory for "const".
std::string placed_declarator(const NetworkParts& parts, const ConstantPool::Array& array);
/// The kernel's assembly, in the section that its switch selects.
std::string placed_assembly(const NetworkParts& parts, const KernelSet::Kernel& kernel);
/// Lines before a portable kernel: its section, by the same switch. Or nothing.
std::string placed_function(const NetworkParts& parts, const KernelSet::Kernel& kernel);
/// "KWS_CODE " before a function's return type, or nothing.
std::string placed_code(const NetworkParts& parts);
/// `#include "<name>_placement.h"` with a line break, or nothing.
std::string include_placement(const NetworkParts& parts);

}  // namespace tinytune
