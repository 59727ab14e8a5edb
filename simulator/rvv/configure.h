// How long vectors are and what their elements are: vsetvli and its kin, and the unit's registers
// among the core's control and status registers.
#pragma once

#include <optional>

#include "simulator/rvv/state.h"
#include "simulator/vector_unit.h"

namespace tinytune::rvv {

/// vsetvli, vsetivli, vsetvl.
void configure(State& state, Code code, VectorUnit::Core& core);

/// Whether `code` accesses a control and status register that is the unit's.
bool is_csr_access(Code code);
/// Does so. False: it writes one that can only be read.
bool access_csr(State& state, Code code, VectorUnit::Core& core);

}  // namespace tinytune::rvv
