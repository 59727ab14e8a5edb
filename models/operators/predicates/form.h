// The forms of comparisons, logic, SELECT_V2 and CAST.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/broadcast.h"
#include "models/graph.h"

namespace tinytune {

/// EQUAL and the other comparisons, LOGICAL_AND, LOGICAL_OR: a bool result of two operands.
enum class Relation { kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual, kAnd, kOr };
struct CompareOp {
  int64_t elements = 0;
  Relation relation = Relation::kEqual;
  ElementType type = ElementType::kInt8;      ///< of the operands: int8, int32 or bool
  std::array<std::vector<int32_t>, 2> terms;  ///< int8: the values compared, by x + 128; else empty
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;
};

/// SELECT_V2: operand 1 where operand 0, a bool, is true, else operand 2. Bytes are not rescaled.
struct SelectOp {
  int64_t elements = 0;
  int element_bytes = 1;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 3> constants;
};

/// CAST between integers and from bool: the number itself, wrapped if it does not fit.
struct CastOp {
  int64_t elements = 0;
  ElementType from = ElementType::kInt8, to = ElementType::kInt32;
};

}  // namespace tinytune
