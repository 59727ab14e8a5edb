// Text that the emitters of plain integers (form.h) share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "models/operators/plain/form.h"

namespace tinytune {

/// Returns an int32_t expression of the number of an element that expression `stored` reads.
inline std::string plain_value(const PlainOperand& operand, const std::string& stored) {
  return operand.offset == 0 ? stored : "(" + c_plus(stored, operand.offset) + ")";
}

/// Returns the largest magnitude of a value; 0 without any.
template <typename T>
int64_t largest(const std::vector<T>& values) {
  int64_t most = 0;
  for (const T value : values) most = std::max(most, std::abs(int64_t{value}));
  return most;
}

/// Returns an upper bound on the magnitude of the operand's numbers.
inline int64_t plain_reach(const PlainOperand& operand) {
  if (operand.type != ElementType::kInt8) return int64_t{1} << 31;
  return operand.offset > 0 ? 127 + operand.offset : 128 - operand.offset;
}

/// Returns the store of a number to lvalue `output`, with the limits of the stored value.
inline ClampedStore plain_store(const std::string& output, const PlainResult& result) {
  return {output, result.low + result.offset, result.high + result.offset, result.offset,
          c_type_of(result.type)};
}

/// Returns "int32_t" if 32 bits hold numbers of this magnitude, else "int64_t".
inline const char* plain_type(int64_t reach) { return reach <= INT32_MAX ? "int32_t" : "int64_t"; }

}  // namespace tinytune
