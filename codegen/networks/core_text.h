// The C of a library whose layers two cores may share: what it declares for the application, which
// owns the other core, and how cores meet.
//
// They meet in the arena, in two words: what the other core is to do (0: nothing, and then it is
// done), and whether there is another core in this call. Each is written by one core at a time, so
// no processor has to have more than ordered loads and stores.
#pragma once

#include <string>

#include "codegen/networks/network_parts.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {

/// Declarations for the public header; empty for one core.
std::string print_core_api(const std::string& name, int cores);

/// Definitions for the source file: before the layers, and after them. Empty for one core.
std::string print_core_meeting(const NetworkParts& parts);
std::string print_core_functions(const NetworkParts& parts);

/// Statements of invoke: ask for another core; compute a shared layer; let the other core leave.
void print_core_start(CWriter& w, const NetworkParts& parts);
void print_shared_layer(CWriter& w, const NetworkParts& parts, const InvokeStep& step);
void print_core_end(CWriter& w, const NetworkParts& parts);

}  // namespace tinytune
