// The C code of a library whose weights arrive: a driver of the unit that fetches them (DMA or
// cache preload), and hooks of the application, which owns that unit.
//
// Layers call three functions. `<name>_fetch` starts a transfer. `<name>_have_come` waits for it;
// it returns 0 if nothing was fetched, and the core then copies with `<name>_copy`. A cache preload
// is limited to a part of the cache; `<name>_copy_all` copies larger blocks and continues the
// preload. Two words in the arena hold the unit that this call has claimed and its transfer.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/networks/network_parts.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {

/// Bytes of these two words on any machine.
inline constexpr uint32_t kArrivalWordBytes = 16;
/// Most bytes of one cache preload: half of the cache.
inline constexpr uint32_t kMostFilledBytes = 8192;

/// Whether the unit only preloads flash into the core's cache, from where the core reads.
bool fills_cache(const ArrivalWay& way);

/// Declarations for the public header.
std::string print_arrival_api(const std::string& name, const ArrivalWay& way);

/// Definitions for the source file, before the layers; empty where nothing arrives.
std::string print_arrival_driver(const NetworkParts& parts);

/// Print the statements of invoke that claim the unit and that release it.
void print_arrival_start(CWriter& w, const NetworkParts& parts);
void print_arrival_end(CWriter& w, const NetworkParts& parts);

}  // namespace tinytune
