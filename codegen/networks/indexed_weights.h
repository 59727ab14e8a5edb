// Weights of few values, which flash holds as indices into a table of the values and a layer
// decodes into the arena before its kernel runs.
//
// What is indexed is a kernel's packed array, not the model's tensor: the kernel is the one that
// reads plain weights, with the same bytes. A decoded array lives while its layer runs, so that the
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
  int bits = 0;                ///< of an index, 1 to 7; the highest bit of a byte first
  std::vector<uint8_t> codes;  ///< indices, one behind the other
  std::vector<uint8_t> table;  ///< of values, little-endian
};

/// Of values of one or two bytes. Nothing where that would save next to nothing.
std::optional<IndexedValues> indexed(std::span<const uint8_t> bytes, size_t value_bytes);

/// An argument of a kernel that its layer decodes.
struct IndexedArgument {
  std::string codes, table;  ///< arrays
  std::string type;          ///< of its elements, in C
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
