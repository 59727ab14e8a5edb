// The vector unit of a Cortex-M55 or M85 as an engine meets it: the executor of executor.h, with
// what the emulator does itself left to the emulator.
//
// Unicorn's Cortex-M33 has a floating-point unit, and it executes that unit's loads, stores and
// moves (`vpush`, `vldr d0`) with registers of its own; runs_natively() tells which. An engine
// hands the vectors over before such an instruction and takes them back afterwards. The 64-bit and
// saturating shifts of Armv8.1-M it takes for other instructions: these are refused by name.
#pragma once

#include <memory>

#include "simulator/vector_unit.h"

namespace tinytune {

std::unique_ptr<VectorUnit> make_helium_unit(const Target& target);

}  // namespace tinytune
