// The resources of an instruction of Armv8.1-M's extensions for the timing model: its unit, and the
// vectors that it reads and writes.
#pragma once

#include <cstdint>

namespace tinytune::helium {

struct Footprint {
  enum class Unit : uint8_t {
    kLoad,
    kStore,
    kMultiply,  ///< products, sums over lanes, comparisons
    kInteger,
    kLogic,    ///< bitwise logic and moves, which some cores do in either of these two
    kControl,  ///< predicates
    kCore,     ///< touches no vector
    kLoop,     ///< the end of a low-overhead loop
  };
  enum class Result : uint8_t {
    kPlain,
    kRounded,   ///< rounds or saturates a shift
    kNarrowed,  ///< lanes narrowed to half their width
    kProduct,
    kSum,        ///< sum over lanes, to core registers
    kMoved,      ///< lane moved to a core register
    kStructure,  ///< interleaved loads and stores (VLD2, VLD4, VST2, VST4)
    kGathered,   ///< gathers and scatters
  };
  Unit unit = Unit::kCore;
  Result result = Result::kPlain;
  uint32_t elements = 0;           ///< number of elements of kGathered
  uint32_t reads = 0, writes = 0;  ///< vectors, a bit each
};

/// `code` is as in memory: the half word at the lower address in the low bits.
Footprint footprint_of(uint32_t code);

}  // namespace tinytune::helium
