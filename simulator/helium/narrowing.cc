// Conversions between widths of lanes. Bit 12 selects a vector's even narrow lanes ("bottom") or
// its odd ones ("top").
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr auto kBoth = Sign::kByBit28;
constexpr Kind kV = Kind::kVector;

constexpr unsigned top_of(uint32_t code) { return field(code, 12, 12); }

/// Widens half of Qm's lanes to Qd's, shifted left by `amount`.
bool widen(Machine& m, uint32_t code, unsigned log, unsigned amount) {
  return with_lanes<kBoth>(code, log, [&]<typename T>() {
    using D = Wider<T>;
    const auto a = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<D>; ++i) {
      const auto wide = static_cast<uint64_t>(Wide<T>{a[2 * i + top_of(code)]});
      m.merge<D>(qd(code), i, static_cast<D>(wide << amount));
    }
    return true;
  });
}

bool widen_shifted(Machine& m, uint32_t code) {
  if (field(code, 20, 20) != 0) return widen(m, code, 1, field(code, 19, 16));
  return field(code, 19, 19) != 0 && widen(m, code, 0, field(code, 18, 16));
}

/// Widens, shifted left by the width of the narrow lane.
bool widen_by_size(Machine& m, uint32_t code) {
  const unsigned log = size_at_18(code);
  return log < 2 && widen(m, code, log, 8u << log);
}

enum class To { kSame, kUnsigned };

/// Narrows Qm's lanes, shifted right by `amount`, to half of Qd's lanes.
template <typename T, To to, bool rounds, bool saturates>
bool narrow(Machine& m, uint32_t code, unsigned amount) {
  using W = Wider<T>;
  using Result = std::conditional_t<to == To::kUnsigned, std::make_unsigned_t<T>, T>;
  const auto a = m.vector<W>(qm(code));
  for (unsigned i = 0; i < kLanes<W>; ++i) {
    const int64_t rounding = rounds && amount > 0 ? int64_t{1} << (amount - 1) : 0;
    const int64_t wide = (int64_t{a[i]} + rounding) >> amount;
    bool saturated = false;
    const auto value = saturates ? saturate<Result>(wide, saturated) : static_cast<Result>(wide);
    write_lane<Result>(m, qd(code), 2 * i + top_of(code), value, saturated);
  }
  return true;
}

template <Sign sign, To to, bool rounds, bool saturates>
bool narrow_any(Machine& m, uint32_t code, unsigned log, unsigned amount) {
  if (log > 1) return false;
  return with_lanes<sign>(code, log, [&]<typename T>() {
    if constexpr (sizeof(T) < 4) return narrow<T, to, rounds, saturates>(m, code, amount);
    return false;
  });
}

template <Sign sign, To to, bool rounds, bool saturates>
bool narrow_shifted(Machine& m, uint32_t code) {
  if (field(code, 20, 20) != 0)
    return narrow_any<sign, to, rounds, saturates>(m, code, 1, 16 - field(code, 19, 16));
  return field(code, 19, 19) != 0 &&
         narrow_any<sign, to, rounds, saturates>(m, code, 0, 8 - field(code, 18, 16));
}

template <Sign sign, To to, bool saturates>
bool narrow_moved(Machine& m, uint32_t code) {
  return narrow_any<sign, to, false, saturates>(m, code, size_at_18(code), 0);
}

constexpr Row kRows[] = {
    // clang-format off
    {"111U 1110 101i iiii ddd0 1111 0100 mmm0", "vshllb", kV, widen_shifted},
    {"111U 1110 101i iiii ddd1 1111 0100 mmm0", "vshllt", kV, widen_shifted},
    {"111U 1110 0011 ss01 ddd0 1110 0000 mmm1", "vshllb", kV, widen_by_size},
    {"111U 1110 0011 ss01 ddd1 1110 0000 mmm1", "vshllt", kV, widen_by_size},
    {"1110 1110 100i iiii dddT 1111 1100 mmm1", "vshrn", kV, narrow_shifted<Sign::kUnsigned, To::kSame, false, false>},
    {"1111 1110 100i iiii dddT 1111 1100 mmm1", "vrshrn", kV, narrow_shifted<Sign::kUnsigned, To::kSame, true, false>},
    {"111U 1110 100i iiii dddT 1111 0100 mmm0", "vqshrn", kV, narrow_shifted<kBoth, To::kSame, false, true>},
    {"111U 1110 100i iiii dddT 1111 0100 mmm1", "vqrshrn", kV, narrow_shifted<kBoth, To::kSame, true, true>},
    {"1110 1110 100i iiii dddT 1111 1100 mmm0", "vqshrun", kV, narrow_shifted<Sign::kSigned, To::kUnsigned, false, true>},
    {"1111 1110 100i iiii dddT 1111 1100 mmm0", "vqrshrun", kV, narrow_shifted<Sign::kSigned, To::kUnsigned, true, true>},
    {"1111 1110 0011 ss01 dddT 1110 1000 mmm1", "vmovn", kV, narrow_moved<Sign::kUnsigned, To::kSame, false>},
    {"111U 1110 0011 ss11 dddT 1110 0000 mmm1", "vqmovn", kV, narrow_moved<kBoth, To::kSame, true>},
    {"1110 1110 0011 ss01 dddT 1110 1000 mmm1", "vqmovun", kV, narrow_moved<Sign::kSigned, To::kUnsigned, true>},
    // clang-format on
};

}  // namespace

std::span<const Row> narrowing_rows() { return kRows; }

}  // namespace tinytune::helium
