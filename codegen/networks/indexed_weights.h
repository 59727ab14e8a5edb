// Compression of weights with few different values: flash holds indices into a table of values, and
// a layer decodes them into the arena before its kernel runs.
//
// The indices are those of a kernel's packed array, not of the model's tensor: the kernel is the
// ordinary one and reads the same bytes. A decoded array lives only while its layer runs, so the
// arena grows by the largest of them, if at all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/networks/layer_function.h"
#include "codegen/operators/constant_pool.h"
#include "codegen/operators/shared_functions.h"

namespace tinytune {

struct IndexedValues {
  int bits = 0;                ///< per index, 1 to 7; packed from the highest bit of a byte
  std::vector<uint8_t> codes;  ///< packed indices
  std::vector<uint8_t> table;  ///< the values, little-endian
};

/// Indexes values of one or two bytes. Nothing if more than 128 values differ or fewer than 16
/// bytes would be saved.
std::optional<IndexedValues> indexed(std::span<const uint8_t> bytes, size_t value_bytes);

/// A kernel argument that the layer decodes.
struct IndexedArgument {
  std::string codes, table;  ///< symbols of the arrays
  std::string type;          ///< C type of its elements
  size_t value_bytes = 1;
  int bits = 0;
  uint32_t bytes = 0;
  uint32_t offset = 0;  ///< in the layer's scratch memory
};

/// Prints the call that decodes it to `place`; returns the address as the kernel takes it.
std::string decode_argument(FunctionBody& body, const IndexedArgument& argument,
                            const ArenaPlace& place, const std::string& network,
                            SharedFunctions& shared);

}  // namespace tinytune
