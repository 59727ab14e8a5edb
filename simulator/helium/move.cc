// Moves to and from lanes: immediates, broadcasts of a core register, counting sequences, single
// lanes and pairs.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr Kind kV = Kind::kVector;

/// Expands the instruction's 8-bit immediate to 64 bits, as its fields "cmode" and "op" select.
uint64_t expanded(uint32_t code) {
  const uint64_t byte = field(code, 28, 28) << 7 | field(code, 18, 16) << 4 | field(code, 3, 0);
  const unsigned mode = field(code, 11, 8), op = field(code, 5, 5);
  const uint64_t word = 0x0000000100000001, half = 0x0001000100010001;
  if (mode < 8) return (byte << (8 * (mode / 2))) * word;
  if (mode < 12) return (byte << (8 * (mode / 2 % 2))) * half;
  if (mode == 12) return (byte << 8 | 0xFF) * word;
  if (mode == 13) return (byte << 16 | 0xFFFF) * word;
  if (mode == 14 && op == 0) return byte * 0x0101010101010101;
  if (mode == 14) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < 8; ++i)
      if ((byte >> i & 1) != 0) mask |= uint64_t{0xFF} << (8 * i);
    return mask;
  }
  // A float32 with 3 bits of exponent and 4 of fraction.
  const uint64_t exponent = (byte & 0x40) != 0 ? 0x1F : 0x20;
  return ((byte & 0x80) << 24 | exponent << 25 | (byte & 0x3F) << 19) * word;
}

bool move_immediate(Machine& m, uint32_t code) {
  const unsigned mode = field(code, 11, 8), op = field(code, 5, 5);
  if (mode == 15 && op == 1) return false;
  const bool modifies = mode < 12 && mode % 2 == 1;  // VORR, VBIC
  uint64_t value = expanded(code);
  if (op == 1 && mode < 14) value = ~value;  // VMVN, VBIC
  const auto d = m.vector<uint64_t>(qd(code));
  for (unsigned i = 0; i < 2; ++i)
    m.merge<uint64_t>(qd(code), i, !modifies ? value : op == 1 ? d[i] & value : d[i] | value);
  return true;
}

bool duplicate(Machine& m, uint32_t code) {
  const unsigned narrower = field(code, 22, 22) << 1 | field(code, 5, 5), rt = field(code, 15, 12);
  if (!is_general(rt) || narrower == 3) return false;
  return with_unsigned(2 - narrower, [&]<typename T>() {
    for (unsigned i = 0; i < kLanes<T>; ++i) m.merge<T>(qn(code), i, static_cast<T>(m.get(rt)));
    return true;
  });
}

/// Qd = Rn, Rn ± step, …; Rn = the next value. With a limit, counting up restarts from 0 there, and
/// counting down restarts from the limit at 0.
template <bool down>
bool count(Machine& m, uint32_t code) {
  const unsigned rn = 2 * field(code, 19, 17), limit_field = field(code, 3, 1);
  const bool wraps = limit_field != 7;
  const unsigned rm = 2 * limit_field + 1;
  if (wraps && !is_general(rm)) return false;
  const uint32_t step = 1u << (field(code, 7, 7) << 1 | field(code, 0, 0));
  const uint32_t limit = wraps ? m.get(rm) : 0;
  return with_unsigned(size_at_20(code), [&]<typename T>() {
    uint32_t value = m.get(rn);
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      m.merge<T>(qd(code), i, static_cast<T>(value));
      if (down) {
        if (wraps && value == 0) value = limit;
        value -= step;
      } else {
        value += step;
        if (wraps && value == limit) value = 0;
      }
    }
    m.set(rn, value);
    return true;
  });
}

/// A lane as instructions of the floating-point unit encode it, as a part of D register d (bytes
/// from 8 * d): its vector, log2 of its bytes, and index.
struct Lane {
  unsigned q, log, index;
  explicit Lane(uint32_t code) {
    const unsigned d = field(code, 19, 16), high = field(code, 22, 21), low = field(code, 6, 5);
    log = high >= 2 ? 0 : low % 2 == 1 ? 1 : 2;
    const unsigned within = log == 0   ? (high & 1) << 2 | low
                            : log == 1 ? high << 1 | low >> 1
                                       : high;
    q = d / 2;
    index = d % 2 * (8u >> log) + within;
  }
};

bool lane_exists(uint32_t code) {
  // A word, neither byte nor half word, needs bits 6:5 to be 0.
  return field(code, 22, 22) == 1 || field(code, 5, 5) == 1 || field(code, 6, 6) == 0;
}

bool to_lane(Machine& m, uint32_t code) {
  const unsigned rt = field(code, 15, 12);
  if (!is_general(rt) || !lane_exists(code)) return false;
  const Lane lane(code);
  return with_unsigned(lane.log, [&]<typename T>() {
    m.put<T>(lane.q, lane.index, static_cast<T>(m.get(rt)));
    return true;
  });
}

bool from_lane(Machine& m, uint32_t code) {
  const unsigned rt = field(code, 15, 12);
  const Lane lane(code);
  const bool zero_extends = field(code, 23, 23) != 0;
  if (!is_general(rt) || !lane_exists(code) || (lane.log == 2 && zero_extends)) return false;
  const auto body = [&]<typename T>() {
    m.set(rt, static_cast<uint32_t>(m.lane<T>(lane.q, lane.index)));
    return true;
  };
  return zero_extends ? with_unsigned(lane.log, body) : with_signed(lane.log, body);
}

/// Writes lane `index` from Rt and lane `index` + 2 from Rt2.
bool to_two_lanes(Machine& m, uint32_t code) {
  const unsigned rt = field(code, 3, 0), rt2 = field(code, 19, 16), index = field(code, 4, 4);
  if (!is_general(rt) || !is_general(rt2)) return false;
  m.put<uint32_t>(qd(code), index, m.get(rt));
  m.put<uint32_t>(qd(code), index + 2, m.get(rt2));
  return true;
}
bool from_two_lanes(Machine& m, uint32_t code) {
  const unsigned rt = field(code, 3, 0), rt2 = field(code, 19, 16), index = field(code, 4, 4);
  if (!is_general(rt) || !is_general(rt2) || rt == rt2) return false;
  m.set(rt, m.lane<uint32_t>(qd(code), index));
  m.set(rt2, m.lane<uint32_t>(qd(code), index + 2));
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"111i 1111 1000 0iii ddd0 cccc 01o1 iiii", "vmov", kV, move_immediate},
    // These look like shifts by an immediate, but bits 21:19 of a shift are not all zero: the rows
    // win by their fixed bits (executor.cc).
    {"111i 1111 1000 0iii ddd0 0000 0101 iii0", "vmov", kV, move_immediate},
    {"111i 1111 1000 0iii ddd0 0010 0101 iii0", "vmov", kV, move_immediate},
    {"111i 1111 1000 0iii ddd0 0100 0101 iii0", "vmov", kV, move_immediate},
    {"111i 1111 1000 0iii ddd0 0101 0101 iii0", "vmov", kV, move_immediate},
    {"111i 1111 1000 0iii ddd0 0110 0101 iii0", "vmov", kV, move_immediate},
    {"111i 1111 1000 0iii ddd0 0111 0101 iii0", "vmov", kV, move_immediate},
    {"1110 1110 1b10 nnn0 tttt 1011 00e1 0000", "vdup", kV, duplicate},
    {"1110 1110 00ss ttt1 ddd0 1111 i110 uuui", "vidup", kV, count<false>},
    {"1110 1110 00ss ttt1 ddd1 1111 i110 uuui", "vddup", kV, count<true>},
    {"1110 1110 0ii0 nnni tttt 1011 0ii1 0000", "vmov", Kind::kOutside, to_lane},
    {"1110 1110 Uii1 nnni tttt 1011 0ii1 0000", "vmov", Kind::kOutside, from_lane},
    {"1110 1100 0001 uuuu ddd0 1111 000i tttt", "vmov", Kind::kOutside, to_two_lanes},
    {"1110 1100 0000 uuuu ddd0 1111 000i tttt", "vmov", Kind::kOutside, from_two_lanes},
    // clang-format on
};

}  // namespace

std::span<const Row> move_rows() { return kRows; }

}  // namespace tinytune::helium
