// The C code of a library whose layers two cores may share: declarations for the application, which
// owns the other core, and the synchronisation of both.
//
// Cores synchronise by two words in the arena: the other core's job (0: none, or done), and whether
// there is another core in this call. Each word is written by one core at a time, so ordered loads
// and stores suffice.
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

/// Print statements of invoke: request another core; compute a shared layer; release that core.
void print_core_start(CWriter& w, const NetworkParts& parts);
void print_shared_layer(CWriter& w, const NetworkParts& parts, const InvokeStep& step);
void print_core_end(CWriter& w, const NetworkParts& parts);

}  // namespace tinytune
