// Loads and stores of vectors: consecutive elements, and gathers and scatters.
//
// An element in memory may be narrower than its lane. An inactive lane is not accessed; a load sets
// it to 0. Base registers are updated regardless of the predicate.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

/// Calls `body` with the types of a lane and of its element in memory.
template <typename Body>
bool with_memory(unsigned lane_log, unsigned memory_log, bool lanes_unsigned, const Body& body) {
  if (memory_log > lane_log) return false;
  const auto inner = [&]<typename Stored>() {
    return with_unsigned(lane_log,
                         [&]<typename T>() { return body.template operator()<T, Stored>(); });
  };
  return lanes_unsigned ? with_unsigned(memory_log, inner) : with_signed(memory_log, inner);
}

template <typename T, typename Stored>
void move_element(Machine& m, unsigned q, unsigned i, uint32_t address, bool loads) {
  if (loads) {
    const T value = m.active<T>(i) ? static_cast<T>(m.load<Stored>(address)) : T{0};
    m.put<T>(q, i, value);
  } else if (m.active<T>(i)) {
    m.store<Stored>(address, static_cast<Stored>(m.lane<T>(q, i)));
  }
}

/// Moves consecutive elements at Rn, or at Rn ± offset (bit 24); bit 21 writes Rn ± offset back.
bool consecutive(Machine& m, uint32_t code, unsigned rn, unsigned lane_log, unsigned memory_log) {
  const bool indexed = field(code, 24, 24) != 0, writes_back = field(code, 21, 21) != 0;
  const bool lanes_unsigned = is_unsigned(code) || lane_log == memory_log;
  if (rn == kPc || (rn == kSp && writes_back) || (!indexed && !writes_back)) return false;
  const uint32_t offset = field(code, 6, 0) << memory_log;
  const uint32_t base = m.get(rn), moved = field(code, 23, 23) != 0 ? base + offset : base - offset;
  const uint32_t address = indexed ? moved : base;
  return with_memory(lane_log, memory_log, lanes_unsigned, [&]<typename T, typename Stored>() {
    const bool loads = field(code, 20, 20) != 0;
    const bool all = sizeof(T) == sizeof(Stored) && m.move_all(qd(code), address, sizeof(T), loads);
    for (unsigned i = 0; !all && i < kLanes<T>; ++i)
      move_element<T, Stored>(m, qd(code), i, address + i * static_cast<uint32_t>(sizeof(Stored)),
                              loads);
    if (writes_back && !m.faulted()) m.set(rn, moved);
    return true;
  });
}

bool whole(Machine& m, uint32_t code) {
  const unsigned log = field(code, 8, 7);
  return consecutive(m, code, field(code, 19, 16), log, log);
}

/// Moves elements narrower than their lanes; the base is one of r0 to r7.
bool widened(Machine& m, uint32_t code) {
  const unsigned lane_log = field(code, 8, 7), memory_log = field(code, 19, 19);
  const bool loads = field(code, 20, 20) != 0;
  if (lane_log <= memory_log || (!loads && is_unsigned(code))) return false;
  return consecutive(m, code, field(code, 18, 16), lane_log, memory_log);
}

/// Moves a lane of 64 bits as two words.
void move_pair(Machine& m, unsigned q, unsigned i, uint32_t address, bool loads) {
  if (address % 4 != 0 && (m.active<uint32_t>(2 * i) || m.active<uint32_t>(2 * i + 1))) {
    m.load<uint32_t>(address);  // faults
    return;
  }
  move_element<uint32_t, uint32_t>(m, q, 2 * i, address, loads);
  move_element<uint32_t, uint32_t>(m, q, 2 * i + 1, address + 4, loads);
}

/// Moves elements at Rn plus each lane of Qm, an offset in bytes or in elements.
bool gathered(Machine& m, uint32_t code) {
  const bool loads = field(code, 20, 20) != 0;
  const unsigned rn = field(code, 19, 16), lane_log = field(code, 8, 7);
  const unsigned memory_log = field(code, 6, 6) << 1 | field(code, 4, 4);
  const unsigned scale = field(code, 0, 0) != 0 ? memory_log : 0;
  const bool lanes_unsigned = is_unsigned(code);
  if (rn == kPc || (loads && qd(code) == qm(code)) || memory_log > lane_log) return false;
  if (loads ? !lanes_unsigned && memory_log == lane_log : lanes_unsigned) return false;
  if (memory_log == 0 && field(code, 0, 0) != 0) return false;
  const uint32_t base = m.get(rn);
  if (lane_log == 3) {
    if (memory_log != 3) return false;
    for (unsigned i = 0; i < 2; ++i)
      move_pair(m, qd(code), i, base + (m.lane<uint32_t>(qm(code), 2 * i) << scale), loads);
    return true;
  }
  return with_memory(lane_log, memory_log, lanes_unsigned, [&]<typename T, typename Stored>() {
    const auto offsets = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i)
      move_element<T, Stored>(m, qd(code), i, base + (uint32_t{offsets[i]} << scale), loads);
    return true;
  });
}

/// Moves elements at each lane of Qn plus an immediate; may write these addresses back to Qn.
template <unsigned log>
bool gathered_from_vector(Machine& m, uint32_t code) {
  const bool loads = field(code, 20, 20) != 0;
  const unsigned base = qn(code);
  if (loads && qd(code) == base) return false;
  const uint32_t offset = field(code, 6, 0) << log;
  const uint32_t change = field(code, 23, 23) != 0 ? offset : 0 - offset;
  constexpr unsigned kWords = log - 1;  // of a lane
  for (unsigned i = 0; i < 4; i += kWords) {
    const uint32_t address = m.lane<uint32_t>(base, i) + change;
    if constexpr (log == 3)
      move_pair(m, qd(code), i / 2, address, loads);
    else
      move_element<uint32_t, uint32_t>(m, qd(code), i, address, loads);
    if (field(code, 21, 21) != 0 && !m.faulted()) m.put<uint32_t>(base, i, address);
  }
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"1110 1100 a010 rrrr ddd1 111s siii iiii", "vstr", Kind::kStore, whole},
    {"1110 1100 a011 rrrr ddd1 111s siii iiii", "vldr", Kind::kLoad, whole},
    {"1110 1101 a000 rrrr ddd1 111s siii iiii", "vstr", Kind::kStore, whole},
    {"1110 1101 a001 rrrr ddd1 111s siii iiii", "vldr", Kind::kLoad, whole},
    {"1110 1101 a010 rrrr ddd1 111s siii iiii", "vstr", Kind::kStore, whole},
    {"1110 1101 a011 rrrr ddd1 111s siii iiii", "vldr", Kind::kLoad, whole},
    {"111U 1100 a010 srrr ddd0 111s siii iiii", "vstr", Kind::kStore, widened},
    {"111U 1100 a011 srrr ddd0 111s siii iiii", "vldr", Kind::kLoad, widened},
    {"111U 1101 a000 srrr ddd0 111s siii iiii", "vstr", Kind::kStore, widened},
    {"111U 1101 a001 srrr ddd0 111s siii iiii", "vldr", Kind::kLoad, widened},
    {"111U 1101 a010 srrr ddd0 111s siii iiii", "vstr", Kind::kStore, widened},
    {"111U 1101 a011 srrr ddd0 111s siii iiii", "vldr", Kind::kLoad, widened},
    {"111U 1100 1000 rrrr ddd0 111s se0e mmmo", "vstr", Kind::kStore, gathered},
    {"111U 1100 1001 rrrr ddd0 111s se0e mmmo", "vldr", Kind::kLoad, gathered},
    {"1111 1101 a0w0 nnn0 ddd1 1110 0iii iiii", "vstrw", Kind::kStore, gathered_from_vector<2>},
    {"1111 1101 a0w1 nnn0 ddd1 1110 0iii iiii", "vldrw", Kind::kLoad, gathered_from_vector<2>},
    {"1111 1101 a0w0 nnn0 ddd1 1111 0iii iiii", "vstrd", Kind::kStore, gathered_from_vector<3>},
    {"1111 1101 a0w1 nnn0 ddd1 1111 0iii iiii", "vldrd", Kind::kLoad, gathered_from_vector<3>},
    // clang-format on
};

}  // namespace

std::span<const Row> memory_rows() { return kRows; }

}  // namespace tinytune::helium
