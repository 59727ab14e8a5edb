// Facts computed from a LoopNest: trips, footprints, reuse. No policy, no scaling.
//
// Loops of one trip are ignored. The "body" is the straight-line code inside the innermost serial
// loop; a value loaded in it is assumed to stay in a register.
#pragma once

#include <array>
#include <vector>

#include "schedules/loop_nest.h"

namespace tinytune {

/// A tensor's role, by its name, which all templates share. Tensors of other names are kOther.
enum Role { kInput, kWeights, kOutput, kOther, kRoles };

struct AccessFacts {
  double elements = 0;       ///< distinct elements of the whole nest
  double bytes = 0;          ///< distinct bytes of the whole nest
  double body_elements = 0;  ///< distinct elements of one body: its loads or stores
  double step_bytes = 0;     ///< stride of the innermost loop with a stride; 0: none
  double reuse = 1;          ///< trips of the stride-0 loops directly outside the body
};

struct SerialLoop {
  double trips = 1;
  double reduces = 0;
  double bytes = 0;  ///< distinct bytes accessed inside the loop in one of its trips
};

struct NestFacts {
  const LoopNest* nest = nullptr;
  std::array<AccessFacts, kRoles> access;  ///< by role; tensors of one role are summed
  std::vector<SerialLoop> serial;          ///< from the innermost outwards
  double steps = 1;                        ///< executions of the innermost statement
  double body_steps = 1;
  double reduction = 1;       ///< trips of all reduction loops
  double body_reduction = 1;  ///< trips of the reduction loops in the body
  double accumulated = 1;     ///< partial sums live inside the outermost serial reduction
  double body_loads = 0;      ///< distinct elements read in one body
};

NestFacts facts_of(const LoopNest& nest);

}  // namespace tinytune
