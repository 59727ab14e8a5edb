// Where the parts of a generated library live, on a device with memory that is fast and scarce.
//
// Kernels, constant arrays and the C code of the layers are parts. `<name>_placement.h` has a
// switch for each: 0 leaves it where the compiler puts it, 1 moves it to a section of its own that
// start-up code copies from flash, and for weights 2 to that of the next memory that takes some.
// Placing is rewriting that one file, so that a library is generated once, however often its
// placement changes; a user may edit it too.
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
  bool code = false;                ///< or constants
  uint32_t bytes = 0;               ///< of constants; code is known when it is linked
  std::vector<std::string> layers;  ///< functions that use it
  /// It runs while flash is not to be had (ArrivalWay::locks_flash), so it has to be in fast
  /// memory.
  bool needs_fast = false;
};

/// Of a part: 0 in flash, n in the n-th of the device's fast memories for its kind.
using FastHome = uint8_t;

/// "KWS_FAST_LAYER_3_WEIGHTS", the switch of the part of that symbol.
std::string placement_switch(const std::string& name, const std::string& symbol);

/// "<name>_placement.h".
std::string placement_header(const std::string& name);

/// Where parts are before anybody chooses: in flash, but for those that need fast memory.
std::vector<FastHome> least_homes(const std::vector<PlaceablePart>& parts);

/// Its text; `homes` has an element for each part.
std::string print_placement(const std::string& name, const Device& device,
                            const std::vector<PlaceablePart>& parts,
                            const std::vector<FastHome>& homes);

/// The directive of assembly that puts code into the device's fast memory: a line.
std::string fast_code_directive(const Device& device);

bool has_fast_code(const GeneratedNetwork& network);

/// Puts each part of a generated network into its home. Those that need fast memory have one there.
void place(GeneratedNetwork& network, const Device& device, const std::vector<FastHome>& homes);

}  // namespace tinytune
