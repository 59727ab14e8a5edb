// Comparisons, logic, SELECT_V2 and CAST.
#include <cstring>

#include "models/reference/broadcast.h"

namespace tinytune::reference {
namespace {

template <typename T>
bool holds(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::kEqual:
      return a == b;
    case Relation::kNotEqual:
      return a != b;
    case Relation::kGreater:
      return a > b;
    case Relation::kGreaterEqual:
      return a >= b;
    case Relation::kLess:
      return a < b;
    case Relation::kLessEqual:
      return a <= b;
    case Relation::kAnd:
      return a && b;
    case Relation::kOr:
      return a || b;
  }
  return false;
}

// Reads an element at any address, aligned or not.
template <typename T>
T read(const uint8_t* from, int64_t index) {
  T value;
  std::memcpy(&value, from + index * static_cast<int64_t>(sizeof value), sizeof value);
  return value;
}

int64_t read_integer(ElementType type, const uint8_t* from, int64_t index) {
  switch (type) {
    case ElementType::kInt8:
      return read<int8_t>(from, index);
    case ElementType::kInt16:
      return read<int16_t>(from, index);
    case ElementType::kInt32:
      return read<int32_t>(from, index);
    case ElementType::kBool:
      return from[index] != 0 ? 1 : 0;
    default:
      return 0;
  }
}

}  // namespace

void run(const CompareOp& op, const Buffers& buffers) {
  const auto operands = operands_of<uint8_t>(op.constants, buffers);
  uint8_t* output = buffers.outputs[0].data();
  const auto value = [&](size_t operand, int64_t index) {
    const int64_t raw = read_integer(op.type, operands[operand], index);
    return op.terms[operand].empty() ? raw : term(op.terms[operand], static_cast<int8_t>(raw));
  };
  for_each_offset(op.broadcast, [&](const std::array<int64_t, 3>& at) {
    *output++ = holds(op.relation, value(0, at[0]), value(1, at[1])) ? 1 : 0;
  });
}

void run(const SelectOp& op, const Buffers& buffers) {
  const auto operands = operands_of<uint8_t>(op.constants, buffers);
  uint8_t* output = buffers.outputs[0].data();
  const int64_t bytes = op.element_bytes;
  for_each_offset(op.broadcast, [&](const std::array<int64_t, 3>& at) {
    const size_t chosen = operands[0][at[0]] != 0 ? 1 : 2;
    std::memcpy(output, operands[chosen] + at[chosen] * bytes, static_cast<size_t>(bytes));
    output += bytes;
  });
}

void run(const CastOp& op, const Buffers& buffers) {
  const size_t bytes = size_of(op.to);
  for (int64_t i = 0; i < op.elements; ++i) {
    const int64_t value = read_integer(op.from, buffers.inputs[0].data(), i);
    for (size_t b = 0; b < bytes; ++b)
      buffers.outputs[0][static_cast<size_t>(i) * bytes + b] =
          static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * b));
  }
}

}  // namespace tinytune::reference
