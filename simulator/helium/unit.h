// The vector unit of a Cortex-M55 or M85: the executor of executor.h for all instructions that the
// emulator does not execute itself.
//
// Unicorn's Cortex-M33 has a floating-point unit, and executes its loads, stores and moves
// (`vpush`, `vldr d0`) on registers of its own; runs_natively() tells which. An engine copies the
// vectors to the emulator before such an instruction and back afterwards. The emulator takes the
// 64-bit and saturating shifts of Armv8.1-M for other instructions: these are refused by name, but
// for shifts of pairs in whole programs, whose engine corrects them (taken_for_another()).
#pragma once

#include <memory>

#include "simulator/vector_unit.h"

namespace tinytune {

std::unique_ptr<VectorUnit> make_helium_unit(const Target& target);

}  // namespace tinytune
