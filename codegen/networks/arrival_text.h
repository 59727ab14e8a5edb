// The C of a library whose weights arrive: a driver of the unit that brings them, and what it asks
// of the application, which owns that unit.
//
// Three functions are all that layers see. `<name>_fetch` has words set out; `<name>_have_come`
// waits for them, and returns 0 where nothing was fetched, so that the core copies: `<name>_copy`.
// A unit that fills a cache brings no more than a part of it; `<name>_copy_all` has it go on.
// Two words in the arena say which unit this call has, and what is under way.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/networks/network_parts.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {

/// Of any machine.
inline constexpr uint32_t kArrivalWordBytes = 16;
/// At most, of a start that fills a cache: half of it.
inline constexpr uint32_t kMostFilledBytes = 8192;

/// Whether it only brings flash into the core's cache, from where the core copies.
bool fills_cache(const ArrivalWay& way);

/// Declarations for the public header.
std::string print_arrival_api(const std::string& name, const ArrivalWay& way);

/// Definitions for the source file, before the layers; empty where nothing arrives.
std::string print_arrival_driver(const NetworkParts& parts);

/// Statements of invoke: claim the unit; give it back.
void print_arrival_start(CWriter& w, const NetworkParts& parts);
void print_arrival_end(CWriter& w, const NetworkParts& parts);

}  // namespace tinytune
