// What follows from a LoopNest by arithmetic: trips, footprints, reuse. No policy, no scaling.
//
// Loops of one trip are left out, and the "body" is what remains inside the innermost serial loop:
// straight-line code, in which a value once loaded is taken to stay in a register.
#pragma once

#include <array>
#include <vector>

#include "schedules/loop_nest.h"

namespace tinytune {

/// Tensors by part played, because names are what templates share. Anything else is kOther.
enum Role { kInput, kWeights, kOutput, kOther, kRoles };

struct AccessFacts {
  double elements = 0;       ///< distinct, of the whole nest
  double bytes = 0;          ///< distinct, of the whole nest
  double body_elements = 0;  ///< distinct, of one body: its loads or stores
  double step_bytes = 0;     ///< of the innermost loop that moves it; 0 when none does
  double reuse = 1;          ///< trips of the loops just outside the body that do not move it
};

struct SerialLoop {
  double trips = 1;
  double reduces = 0;
  double bytes = 0;  ///< distinct bytes that everything inside it touches in one of its trips
};

struct NestFacts {
  const LoopNest* nest = nullptr;
  std::array<AccessFacts, kRoles> access;  ///< several tensors of one role are summed
  std::vector<SerialLoop> serial;          ///< from the innermost outwards
  double steps = 1;                        ///< executions of the innermost statement
  double body_steps = 1;
  double reduction = 1;       ///< trips of all reduction loops
  double body_reduction = 1;  ///< of those in the body
  double accumulated = 1;     ///< results in flight inside the outermost serial reduction
  double body_loads = 0;      ///< distinct elements read in one body
};

NestFacts facts_of(const LoopNest& nest);

}  // namespace tinytune
