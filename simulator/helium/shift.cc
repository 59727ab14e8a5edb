// Shifts within lanes: by an immediate, by a vector of signed amounts, by a register; and the shift
// of a whole vector with carry.
#include <algorithm>

#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr auto kBoth = Sign::kByBit28;
constexpr Kind kV = Kind::kVector;

/// Shifts left by a signed amount: a negative one shifts right, rounded or truncated.
template <bool rounds, bool saturates, typename T>
T shifted(T value, int amount, bool& saturated) {
  constexpr int kWidth = static_cast<int>(kBits<T>);
  if (amount >= 0) {
    if (value == 0) return 0;
    const int64_t wide = value;
    if constexpr (!saturates)
      return amount >= kWidth ? T{0} : static_cast<T>(static_cast<uint64_t>(wide) << amount);
    if (amount >= kWidth) {
      saturated = true;
      return value < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    }
    return saturate<T>(wide << amount, saturated);
  }
  // Larger shifts than by the lane's width + 1 have the same result.
  const int right = std::min(-amount, kWidth + 1);
  const int64_t wide = int64_t{value} + (rounds ? int64_t{1} << (right - 1) : 0);
  return static_cast<T>(wide >> right);
}

/// Qd = Qm shifted by the lowest byte of each lane of Qn.
template <bool rounds, bool saturates>
bool shift_by_vector(Machine& m, uint32_t code) {
  return with_lanes<kBoth>(code, size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qm(code)), by = m.vector<T>(qn(code));
    return write_lanes<T>(m, code, [&](unsigned i, bool& saturated) {
      return shifted<rounds, saturates>(a[i], static_cast<int8_t>(by[i]), saturated);
    });
  });
}

/// Qda = Qda shifted by the lowest byte of Rm.
template <bool rounds, bool saturates>
bool shift_by_register(Machine& m, uint32_t code) {
  const unsigned rm = field(code, 3, 0);
  if (!is_general(rm)) return false;
  const int amount = static_cast<int8_t>(m.get(rm));
  return with_lanes<kBoth>(code, size_at_18(code), [&]<typename T>() {
    const auto a = m.vector<T>(qd(code));
    return write_lanes<T>(m, code, [&](unsigned i, bool& saturated) {
      return shifted<rounds, saturates>(a[i], amount, saturated);
    });
  });
}

/// Bits 21:16: the highest 1 selects the lane's size. The bits below it are the amount of a left
/// shift, and the lane's width minus the amount of a right shift.
struct Immediate {
  unsigned log = 3, amount = 0;
  explicit Immediate(uint32_t code) {
    for (unsigned top = 3; top <= 5; ++top)
      if (field(code, 21, 16) >> top == 1) {
        log = top - 3;
        amount = field(code, 21, 16) - (1u << top);
      }
  }
  int right() const { return (8 << log) - static_cast<int>(amount); }
};

/// Qd = operation(Qm, Qd, immediate).
template <Sign sign, auto operation>
bool by_immediate(Machine& m, uint32_t code) {
  const Immediate immediate(code);
  return with_lanes<sign>(code, immediate.log, [&]<typename T>() {
    const auto a = m.vector<T>(qm(code)), d = m.vector<T>(qd(code));
    return write_lanes<T>(m, code, [&](unsigned i, bool& saturated) {
      return operation(a[i], d[i], immediate, saturated);
    });
  });
}

template <bool saturates>
constexpr auto kLeft = [](auto a, auto, const Immediate& by, bool& saturated) {
  return shifted<false, saturates>(a, static_cast<int>(by.amount), saturated);
};
template <bool rounds>
constexpr auto kRight = [](auto a, auto, const Immediate& by, bool& saturated) {
  return shifted<rounds, false>(a, -by.right(), saturated);
};
// Shifts signed lanes left and saturates to the unsigned range.
constexpr auto kLeftUnsigned = [](auto a, auto, const Immediate& by, bool& saturated) {
  using U = std::make_unsigned_t<decltype(a)>;
  return static_cast<decltype(a)>(saturate<U>(int64_t{a} << by.amount, saturated));
};
// Keep the bits of the destination that a shift would fill.
constexpr auto kInsertLeft = [](auto a, auto d, const Immediate& by, bool&) {
  const uint64_t moved = ~uint64_t{0} << by.amount;
  return static_cast<decltype(a)>((uint64_t{a} << by.amount) | (d & ~moved));
};
constexpr auto kInsertRight = [](auto a, auto d, const Immediate& by, bool&) {
  const uint64_t moved = ((uint64_t{1} << kBits<decltype(a)>)-1) >> by.right();
  return static_cast<decltype(a)>((uint64_t{a} >> by.right()) | (d & ~moved));
};

/// Shifts the whole vector left by 1 to 32 bits; the lowest bits of a core register shift in, and
/// it takes the bits shifted out. Inactive words pass the carry on.
bool shift_with_carry(Machine& m, uint32_t code) {
  const unsigned rdm = field(code, 3, 0);
  if (!is_general(rdm)) return false;
  const unsigned amount = field(code, 20, 16) == 0 ? 32 : field(code, 20, 16);
  uint64_t carry = m.get(rdm);
  const auto a = m.vector<uint32_t>(qd(code));
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t incoming = carry & ((uint64_t{1} << amount) - 1);
    const uint64_t moved = uint64_t{a[i]} << amount | incoming;
    if (m.active<uint32_t>(i)) carry = moved >> 32;
    m.merge<uint32_t>(qd(code), i, static_cast<uint32_t>(moved));
  }
  m.set(rdm, static_cast<uint32_t>(carry));
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"111U 1111 00ss nnn0 ddd0 0100 0100 mmm0", "vshl", kV, shift_by_vector<false, false>},
    {"111U 1111 00ss nnn0 ddd0 0101 0100 mmm0", "vrshl", kV, shift_by_vector<true, false>},
    {"111U 1111 00ss nnn0 ddd0 0100 0101 mmm0", "vqshl", kV, shift_by_vector<false, true>},
    {"111U 1111 00ss nnn0 ddd0 0101 0101 mmm0", "vqrshl", kV, shift_by_vector<true, true>},
    {"111U 1110 0011 ss01 ddd1 1110 0110 rrrr", "vshl", kV, shift_by_register<false, false>},
    {"111U 1110 0011 ss11 ddd1 1110 0110 rrrr", "vrshl", kV, shift_by_register<true, false>},
    {"111U 1110 0011 ss01 ddd1 1110 1110 rrrr", "vqshl", kV, shift_by_register<false, true>},
    {"111U 1110 0011 ss11 ddd1 1110 1110 rrrr", "vqrshl", kV, shift_by_register<true, true>},
    {"1110 1111 10ii iiii ddd0 0101 0101 mmm0", "vshl", kV, by_immediate<Sign::kUnsigned, kLeft<false>>},
    {"111U 1111 10ii iiii ddd0 0111 0101 mmm0", "vqshl", kV, by_immediate<kBoth, kLeft<true>>},
    {"1111 1111 10ii iiii ddd0 0110 0101 mmm0", "vqshlu", kV, by_immediate<Sign::kSigned, kLeftUnsigned>},
    {"111U 1111 10ii iiii ddd0 0000 0101 mmm0", "vshr", kV, by_immediate<kBoth, kRight<false>>},
    {"111U 1111 10ii iiii ddd0 0010 0101 mmm0", "vrshr", kV, by_immediate<kBoth, kRight<true>>},
    {"1111 1111 10ii iiii ddd0 0100 0101 mmm0", "vsri", kV, by_immediate<Sign::kUnsigned, kInsertRight>},
    {"1111 1111 10ii iiii ddd0 0101 0101 mmm0", "vsli", kV, by_immediate<Sign::kUnsigned, kInsertLeft>},
    {"1110 1110 101i iiii ddd0 1111 1100 rrrr", "vshlc", kV, shift_with_carry},
    // clang-format on
};

}  // namespace

std::span<const Row> shift_rows() { return kRows; }

}  // namespace tinytune::helium
