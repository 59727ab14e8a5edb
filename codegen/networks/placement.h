// Placement of a generated library's parts on a device with small fast memories.
//
// Kernels, constant arrays and the C code of the layers are parts. `<name>_placement.h` has a
// switch for each: 0 leaves it where the compiler puts it, 1 moves it to a section of its own that
// start-up code copies from flash, and 2 (weights only) to the section of the next memory that
// takes weights. Placing rewrites only that file, so that a library is generated once, however
// often its placement changes; a user may edit it too.
//
// Weights in RAM are initialised data like any other, so every start-up code already copies them.
// Code in RAM takes a section that the device file names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"

namespace tinytune {

struct GeneratedNetwork;

struct PlaceablePart {
  std::string symbol;               ///< of a kernel or an array; empty for the layers' C code
  bool code = false;                ///< code; otherwise constants
  uint32_t bytes = 0;               ///< of constants; the size of code is known after linking
  std::vector<std::string> layers;  ///< functions that use it
  /// It runs while flash is locked (ArrivalWay::locks_flash), so it must be in fast memory.
  bool needs_fast = false;
};

/// The memory of a part: 0 is flash, n the device's n-th fast memory for its kind.
using FastHome = uint8_t;

/// "KWS_FAST_LAYER_3_WEIGHTS", the switch of the part of that symbol.
std::string placement_switch(const std::string& name, const std::string& symbol);

/// "<name>_placement.h".
std::string placement_header(const std::string& name);

/// Returns the initial homes: flash, except for parts that need fast memory.
std::vector<FastHome> least_homes(const std::vector<PlaceablePart>& parts);

/// Prints the placement header; `homes` has an element for each part.
std::string print_placement(const std::string& name, const Device& device,
                            const std::vector<PlaceablePart>& parts,
                            const std::vector<FastHome>& homes);

/// Returns the line of assembly that puts code into the section of the device's fast memory.
std::string fast_code_directive(const Device& device);

bool has_fast_code(const GeneratedNetwork& network);

/// Places each part of a generated network. Parts that need fast memory must have a home there.
void place(GeneratedNetwork& network, const Device& device, const std::vector<FastHome>& homes);

}  // namespace tinytune
