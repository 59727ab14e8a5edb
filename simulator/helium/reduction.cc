// Sums, dot products and extremes over a vector, into core registers.
//
// 64-bit sums are in a register pair: an even register for the low word, an odd one for the high
// word, each encoded without its lowest bit. Inactive lanes are skipped; the register is always
// written.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr auto kBoth = Sign::kByBit28;
constexpr Kind kV = Kind::kVector;

/// RdaHi:RdaLo; invalid if a register must not be used.
struct Pair {
  unsigned low, high;
  explicit Pair(uint32_t code) : low(2 * field(code, 15, 13)), high(2 * field(code, 22, 20) + 1) {}
  bool valid() const { return is_general(high); }
  uint64_t get(Machine& m) const { return uint64_t{m.get(high)} << 32 | m.get(low); }
  void set(Machine& m, uint64_t value) const {
    m.set(low, static_cast<uint32_t>(value));
    m.set(high, static_cast<uint32_t>(value >> 32));
  }
};

constexpr bool accumulates(uint32_t code) { return field(code, 5, 5) != 0; }

/// Adds products of lanes to `sum`; `subtracts` those of odd lanes. Bit 12 swaps neighbours in Qn.
template <typename T>
uint64_t dot(Machine& m, uint32_t code, uint64_t sum, bool subtracts) {
  const unsigned exchange = field(code, 12, 12);
  const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
  for (unsigned i = 0; i < kLanes<T>; ++i) {
    if (!m.active<T>(i)) continue;
    const auto product = static_cast<uint64_t>(Wide<T>{a[i ^ exchange]} * b[i]);
    sum = subtracts && i % 2 != 0 ? sum - product : sum + product;
  }
  return sum;
}

/// Dot product with a 32-bit sum.
template <bool subtracts>
bool dot_word(Machine& m, uint32_t code, unsigned log, bool lanes_unsigned) {
  const unsigned low = 2 * field(code, 15, 13);
  const bool exchange = field(code, 12, 12) != 0;
  if (lanes_unsigned && (exchange || subtracts)) return false;
  const auto body = [&]<typename T>() {
    const uint64_t start = accumulates(code) ? m.get(low) : 0;
    m.set(low, static_cast<uint32_t>(dot<T>(m, code, start, subtracts)));
    return true;
  };
  return lanes_unsigned ? with_unsigned(log, body) : with_signed(log, body);
}

bool multiply_add_bytes(Machine& m, uint32_t code) {
  return dot_word<false>(m, code, 0, is_unsigned(code));
}
bool multiply_add_lanes(Machine& m, uint32_t code) {
  return dot_word<false>(m, code, 1 + field(code, 16, 16), is_unsigned(code));
}
bool multiply_subtract_bytes(Machine& m, uint32_t code) {
  return dot_word<true>(m, code, 0, false);
}
bool multiply_subtract_lanes(Machine& m, uint32_t code) {
  return dot_word<true>(m, code, 1 + field(code, 16, 16), false);
}

/// Dot product with a 64-bit sum, of 16-bit lanes or, with bit 16, of 32-bit lanes.
template <bool subtracts>
bool dot_long(Machine& m, uint32_t code) {
  const Pair pair(code);
  const bool exchange = field(code, 12, 12) != 0;
  const bool lanes_unsigned = !subtracts && is_unsigned(code);
  if (!pair.valid() || (lanes_unsigned && exchange)) return false;
  const auto body = [&]<typename T>() {
    pair.set(m, dot<T>(m, code, accumulates(code) ? pair.get(m) : 0, subtracts));
    return true;
  };
  const unsigned log = 1 + field(code, 16, 16);
  return lanes_unsigned ? with_unsigned(log, body) : with_signed(log, body);
}

/// Adds products of 32-bit lanes to `sum`, each shifted right by 8 bits with rounding.
template <typename T>
uint64_t rounded_dot(Machine& m, uint32_t code, uint64_t sum, bool subtracts) {
  const unsigned exchange = field(code, 12, 12);
  const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
  for (unsigned i = 0; i < kLanes<T>; ++i) {
    if (!m.active<T>(i)) continue;
    Wide<T> product = Wide<T>{a[i ^ exchange]} * b[i];
    if (subtracts && i % 2 != 0) product = -product;
    sum += static_cast<uint64_t>((product >> 8) + (product >> 7 & 1));
  }
  return sum;
}

template <bool subtracts>
bool dot_high(Machine& m, uint32_t code) {
  const Pair pair(code);
  const bool lanes_unsigned = !subtracts && is_unsigned(code);
  if (!pair.valid() || (lanes_unsigned && field(code, 12, 12) != 0)) return false;
  const uint64_t start = accumulates(code) ? pair.get(m) : 0;
  pair.set(m, lanes_unsigned ? rounded_dot<uint32_t>(m, code, start, subtracts)
                             : rounded_dot<int32_t>(m, code, start, subtracts));
  return true;
}

bool sum_lanes(Machine& m, uint32_t code) {
  const unsigned low = 2 * field(code, 15, 13);
  return with_lanes<kBoth>(code, size_at_18(code), [&]<typename T>() {
    uint32_t sum = accumulates(code) ? m.get(low) : 0;
    const auto a = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i)
      if (m.active<T>(i)) sum += static_cast<uint32_t>(a[i]);
    m.set(low, sum);
    return true;
  });
}

bool sum_long(Machine& m, uint32_t code) {
  const Pair pair(code);
  if (!pair.valid()) return false;
  uint64_t sum = accumulates(code) ? pair.get(m) : 0;
  const auto a = m.vector<uint32_t>(qm(code));
  for (unsigned i = 0; i < 4; ++i)
    if (m.active<uint32_t>(i))
      sum += is_unsigned(code) ? uint64_t{a[i]}
                               : static_cast<uint64_t>(int64_t{static_cast<int32_t>(a[i])});
  pair.set(m, sum);
  return true;
}

bool sum_distances(Machine& m, uint32_t code) {
  const unsigned rda = field(code, 15, 12);
  if (!is_general(rda)) return false;
  return with_lanes<kBoth>(code, size_at_20(code), [&]<typename T>() {
    uint32_t sum = m.get(rda);
    const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i)
      if (m.active<T>(i))
        sum += static_cast<uint32_t>(a[i] > b[i] ? Wide<T>{a[i]} - b[i] : Wide<T>{b[i]} - a[i]);
    m.set(rda, sum);
    return true;
  });
}

/// Rda = the maximum or minimum of Rda, as a lane, and the vector's lanes.
template <bool larger>
bool extreme(Machine& m, uint32_t code) {
  const unsigned rda = field(code, 15, 12);
  if (!is_general(rda)) return false;
  return with_lanes<kBoth>(code, size_at_18(code), [&]<typename T>() {
    T best = static_cast<T>(m.get(rda));
    const auto a = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i)
      if (m.active<T>(i) && (a[i] > best) == larger) best = a[i];
    m.set(rda, static_cast<uint32_t>(best));
    return true;
  });
}

/// Rda = the maximum or minimum of Rda, unsigned, and the absolute values of the vector's lanes.
template <bool larger>
bool absolute_extreme(Machine& m, uint32_t code) {
  const unsigned rda = field(code, 15, 12);
  if (!is_general(rda)) return false;
  return with_signed(size_at_18(code), [&]<typename T>() {
    using U = std::make_unsigned_t<T>;
    U best = static_cast<U>(m.get(rda));
    const auto a = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      const auto size = static_cast<U>(a[i] < 0 ? -int64_t{a[i]} : int64_t{a[i]});
      if (m.active<T>(i) && (size > best) == larger) best = size;
    }
    m.set(rda, best);
    return true;
  });
}

constexpr Row kRows[] = {
    // clang-format off
    {"1111 1110 1111 nnn0 ttt0 1111 00a0 mmm0", "vmladav", kV, multiply_add_bytes},
    {"1110 1110 1111 nnn0 tttx 1111 00a0 mmm0", "vmladav", kV, multiply_add_bytes},
    {"111U 1110 1111 nnns tttx 1110 00a0 mmm0", "vmladav", kV, multiply_add_lanes},
    {"1111 1110 1111 nnn0 tttx 1110 00a0 mmm1", "vmlsdav", kV, multiply_subtract_bytes},
    {"1110 1110 1111 nnns tttx 1110 00a0 mmm1", "vmlsdav", kV, multiply_subtract_lanes},
    {"111U 1110 1uuu nnns tttx 1110 00a0 mmm0", "vmlaldav", kV, dot_long<false>},
    {"1110 1110 1uuu nnns tttx 1110 00a0 mmm1", "vmlsldav", kV, dot_long<true>},
    {"111U 1110 1uuu nnn0 tttx 1111 00a0 mmm0", "vrmlaldavh", kV, dot_high<false>},
    {"1111 1110 1uuu nnn0 tttx 1110 00a0 mmm1", "vrmlsldavh", kV, dot_high<true>},
    {"111U 1110 1111 ss01 ttt0 1111 00a0 mmm0", "vaddv", kV, sum_lanes},
    {"111U 1110 1uuu 1001 ttt0 1111 00a0 mmm0", "vaddlv", kV, sum_long},
    {"111U 1110 10ss nnn0 tttt 1111 0000 mmm1", "vabav", kV, sum_distances},
    {"111U 1110 1110 ss10 tttt 1111 0000 mmm0", "vmaxv", kV, extreme<true>},
    {"111U 1110 1110 ss10 tttt 1111 1000 mmm0", "vminv", kV, extreme<false>},
    {"1110 1110 1110 ss00 tttt 1111 0000 mmm0", "vmaxav", kV, absolute_extreme<true>},
    {"1110 1110 1110 ss00 tttt 1111 1000 mmm0", "vminav", kV, absolute_extreme<false>},
    // clang-format on
};

}  // namespace

std::span<const Row> reduction_rows() { return kRows; }

}  // namespace tinytune::helium
