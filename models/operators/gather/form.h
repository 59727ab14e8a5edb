// The form of the gathers.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// GATHER, GATHER_ND, EMBEDDING_LOOKUP: slices of bytes, from places that may be computed. A place
/// is one int32 per coordinate, clamped to its extent.
struct GatherOp {
  struct Coordinate {
    int32_t extent = 1;
    int64_t step_bytes = 0;
  };
  /// Each batch has places of its own; each block of a batch is read at all of them.
  int64_t batches = 1, blocks = 1, places = 1;
  int64_t block_bytes = 0, slice_bytes = 0;
  std::vector<Coordinate> coordinates;
  bool places_first = false;         ///< input 0 has the places and 1 the data (EMBEDDING_LOOKUP)
  std::vector<uint8_t> data;         ///< the data if they are constant, else empty
  std::vector<int32_t> constant_at;  ///< constant places in order, else empty
  int64_t operations() const { return batches * blocks * places * slice_bytes; }
};

}  // namespace tinytune
