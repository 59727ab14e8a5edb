// Loops over lanes, instantiated with the operation on one lane.
//
// An operation is a lambda, `[](auto a, auto b, bool& saturated)`, passed as a template argument;
// the loop decodes the fields, selects the type of a lane and writes results under the predicate.
#pragma once

#include "simulator/helium/rows.h"
#include "simulator/wider.h"

namespace tinytune::helium {

enum class Sign { kSigned, kUnsigned, kByBit28 };

/// Calls `body` with a type of 2^log bytes; false for 8 bytes and above.
template <typename Of8, typename Of16, typename Of32, typename Body>
bool with_one_of(unsigned log, const Body& body) {
  switch (log) {
    case 0:
      return body.template operator()<Of8>();
    case 1:
      return body.template operator()<Of16>();
    case 2:
      return body.template operator()<Of32>();
    default:
      return false;
  }
}
template <typename Body>
bool with_signed(unsigned log, const Body& body) {
  return with_one_of<int8_t, int16_t, int32_t>(log, body);
}
template <typename Body>
bool with_unsigned(unsigned log, const Body& body) {
  return with_one_of<uint8_t, uint16_t, uint32_t>(log, body);
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

template <typename T, typename Value>
void write_lane(Machine& m, unsigned q, unsigned i, Value value, bool saturated) {
  m.merge<T>(q, i, static_cast<T>(value));
  m.note<T>(i, saturated);
}

/// Qd's lanes = value(lane index, saturated), in order.
template <typename T, typename Value>
bool write_lanes(Machine& m, uint32_t code, const Value& value) {
  for (unsigned i = 0; i < kLanes<T>; ++i) {
    bool saturated = false;
    const auto lane = value(i, saturated);
    write_lane<T>(m, qd(code), i, lane, saturated);
  }
  return true;
}

/// Qd = operation(Qn, Qm).
template <Sign sign, auto operation>
bool binary(Machine& m, uint32_t code) {
  return with_lanes<sign>(code, size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
    return write_lanes<T>(
        m, code, [&](unsigned i, bool& saturated) { return operation(a[i], b[i], saturated); });
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
    return write_lanes<T>(m, code, [&](unsigned i, bool& saturated) {
      return operation(a[i], static_cast<T>(scalar), saturated);
    });
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
    return write_lanes<T>(m, code, [&](unsigned i, bool& saturated) {
      return operation(d[i], a[i], static_cast<T>(scalar), saturated);
    });
  });
}

/// Qd = operation(Qm), its size in bits 19:18.
template <Sign sign, auto operation>
bool unary(Machine& m, uint32_t code) {
  return with_lanes<sign>(code, size_at_18(code), [&]<typename T>() {
    const auto a = m.vector<T>(qm(code));
    return write_lanes<T>(m, code,
                          [&](unsigned i, bool& saturated) { return operation(a[i], saturated); });
  });
}

}  // namespace tinytune::helium
