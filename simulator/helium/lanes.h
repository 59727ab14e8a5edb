// Loops over lanes: the frame around an operation that is a few characters long.
//
// An operation is a lambda of lanes' values, `[](auto a, auto b, bool& saturated)`, given to a
// frame as a template argument; the frame reads the fields, finds the type of a lane and writes the
// results under the predicate.
#pragma once

#include "simulator/helium/rows.h"

namespace tinytune::helium {

enum class Sign { kSigned, kUnsigned, kByBit28 };

/// Calls `body` with a type of 2^log bytes; false for 8 bytes and above.
template <typename Body>
bool with_signed(unsigned log, const Body& body) {
  switch (log) {
    case 0:
      return body.template operator()<int8_t>();
    case 1:
      return body.template operator()<int16_t>();
    case 2:
      return body.template operator()<int32_t>();
    default:
      return false;
  }
}
template <typename Body>
bool with_unsigned(unsigned log, const Body& body) {
  switch (log) {
    case 0:
      return body.template operator()<uint8_t>();
    case 1:
      return body.template operator()<uint16_t>();
    case 2:
      return body.template operator()<uint32_t>();
    default:
      return false;
  }
}
template <Sign sign, typename Body>
bool with_lanes(uint32_t code, unsigned log, const Body& body) {
  if constexpr (sign == Sign::kSigned)
    return with_signed(log, body);
  else if constexpr (sign == Sign::kUnsigned)
    return with_unsigned(log, body);
  else
    return is_unsigned(code) ? with_unsigned(log, body) : with_signed(log, body);
}

/// The type of twice a lane's bits.
template <typename T>
struct DoubleOf;
template <>
struct DoubleOf<int8_t> {
  using Type = int16_t;
};
template <>
struct DoubleOf<int16_t> {
  using Type = int32_t;
};
template <>
struct DoubleOf<int32_t> {
  using Type = int64_t;
};
template <>
struct DoubleOf<uint8_t> {
  using Type = uint16_t;
};
template <>
struct DoubleOf<uint16_t> {
  using Type = uint32_t;
};
template <>
struct DoubleOf<uint32_t> {
  using Type = uint64_t;
};
template <typename T>
using Double = typename DoubleOf<T>::Type;

template <typename T, typename Value>
void write_lane(Machine& m, unsigned q, unsigned i, Value value, bool saturated) {
  m.merge<T>(q, i, static_cast<T>(value));
  m.note<T>(i, saturated);
}

/// Qd = operation(Qn, Qm).
template <Sign sign, auto operation>
bool binary(Machine& m, uint32_t code) {
  return with_lanes<sign>(code, size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      bool saturated = false;
      const auto value = operation(a[i], b[i], saturated);
      write_lane<T>(m, qd(code), i, value, saturated);
    }
    return true;
  });
}

/// Qd = operation(Qn, Rm).
template <Sign sign, auto operation>
bool binary_scalar(Machine& m, uint32_t code) {
  const unsigned rm = field(code, 3, 0);
  if (!is_general(rm)) return false;
  const uint32_t scalar = m.get(rm);
  return with_lanes<sign>(code, size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qn(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      bool saturated = false;
      const auto value = operation(a[i], static_cast<T>(scalar), saturated);
      write_lane<T>(m, qd(code), i, value, saturated);
    }
    return true;
  });
}

/// Qd = operation(Qd, Qn, Rm).
template <Sign sign, auto operation>
bool accumulate_scalar(Machine& m, uint32_t code) {
  const unsigned rm = field(code, 3, 0);
  if (!is_general(rm)) return false;
  const uint32_t scalar = m.get(rm);
  return with_lanes<sign>(code, size_at_20(code), [&]<typename T>() {
    const auto d = m.vector<T>(qd(code)), a = m.vector<T>(qn(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      bool saturated = false;
      const auto value = operation(d[i], a[i], static_cast<T>(scalar), saturated);
      write_lane<T>(m, qd(code), i, value, saturated);
    }
    return true;
  });
}

/// Qd = operation(Qm), its size in bits 19:18.
template <Sign sign, auto operation>
bool unary(Machine& m, uint32_t code) {
  return with_lanes<sign>(code, size_at_18(code), [&]<typename T>() {
    const auto a = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      bool saturated = false;
      const auto value = operation(a[i], saturated);
      write_lane<T>(m, qd(code), i, value, saturated);
    }
    return true;
  });
}

}  // namespace tinytune::helium
