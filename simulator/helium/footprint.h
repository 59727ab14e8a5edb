// What an instruction of Armv8.1-M's extensions occupies: a unit of the core, and vectors that it
// reads and writes.
#pragma once

#include <cstdint>

namespace tinytune::helium {

struct Footprint {
  enum class Unit : uint8_t {
    kLoad,
    kStore,
    kMultiply,  ///< products, sums over lanes, comparisons
    kInteger,
    kLogic,    ///< bits and moves, which a core may do in either of the two
    kControl,  ///< predicates
    kCore,     ///< touches no vector
    kLoop,     ///< the end of a low-overhead loop
  };
  enum class Result : uint8_t {
    kPlain,
    kRounded,   ///< rounds or saturates a shift
    kNarrowed,  ///< halves of lanes
    kProduct,
    kSum,        ///< of lanes, to core registers
    kMoved,      ///< a lane, to a core register
    kStructure,  ///< every second or fourth element of memory
    kGathered,   ///< elements from addresses that a vector has
  };
  Unit unit = Unit::kCore;
  Result result = Result::kPlain;
  uint32_t elements = 0;           ///< of kGathered
  uint32_t reads = 0, writes = 0;  ///< vectors, a bit each
};

/// `code`: the half word at the lower address comes first in the low bits, as in memory.
Footprint footprint_of(uint32_t code);

}  // namespace tinytune::helium
