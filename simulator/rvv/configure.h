// Vector length and element type: vsetvli, vsetivli and vsetvl, and the unit's control and status
// registers.
#pragma once

#include <optional>

#include "simulator/rvv/state.h"
#include "simulator/vector_unit.h"

namespace tinytune::rvv {

/// Executes vsetvli, vsetivli or vsetvl.
void configure(State& state, Code code, VectorUnit::Core& core);

/// Returns whether `code` accesses a control and status register of the unit.
bool is_csr_access(Code code);
/// Executes that access. False: it writes a read-only register.
bool access_csr(State& state, Code code, VectorUnit::Core& core);

}  // namespace tinytune::rvv
