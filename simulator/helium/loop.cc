// Low-overhead loops. LR counts iterations, or elements if the loop is tail-predicated: vector
// instructions are then masked to the first LR elements, whose size is in LTPSIZE.
//
// A core caches the loop's end and need not fetch LE after the first iteration; here LE runs each
// time, as the architecture defines it.
#include "simulator/helium/rows.h"

namespace tinytune::helium {
namespace {

constexpr unsigned kNoTail = 4;

uint32_t distance(uint32_t code) { return field(code, 10, 1) << 2 | field(code, 11, 11) << 1; }

/// Returns LTPSIZE of a loop's start; 4 if bit 22 says that the loop counts iterations.
unsigned tail_size(uint32_t code) {
  return field(code, 22, 22) != 0 ? kNoTail : field(code, 21, 20);
}

bool start(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16);
  if (!is_general(rn)) return false;
  m.set(kLr, m.get(rn));
  if (tail_size(code) != kNoTail) m.state().ltpsize = tail_size(code);
  return true;
}

bool start_unless_zero(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16);
  if (!is_general(rn)) return false;
  if (m.get(rn) == 0) {
    m.next = m.address + 4 + distance(code);
    return true;
  }
  return start(m, code);
}

/// Jumps back while more than one iteration's count is left in LR.
bool end(Machine& m, uint32_t code) {
  const bool forever = field(code, 21, 21) != 0, tail = field(code, 20, 20) != 0;
  if (forever && tail) return false;
  const uint32_t back = m.address + 4 - distance(code);
  if (forever) {
    m.next = back;
    return true;
  }
  if (!tail && m.state().ltpsize != kNoTail) return false;
  const uint32_t turn = tail ? 1u << (kNoTail - m.state().ltpsize) : 1, left = m.get(kLr);
  if (left > turn) {
    m.set(kLr, left - turn);
    m.next = back;
  } else if (tail) {
    m.state().ltpsize = kNoTail;
  }
  return true;
}

bool leave_tail(Machine& m, uint32_t) {
  m.state().ltpsize = kNoTail;
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"1111 0000 0100 rrrr 1110 0000 0000 0001", "dls", Kind::kBranch, start},
    {"1111 0000 00ss rrrr 1110 0000 0000 0001", "dlstp", Kind::kBranch, start},
    {"1111 0000 0100 rrrr 1100 iiii iiii iii1", "wls", Kind::kBranch, start_unless_zero},
    {"1111 0000 00ss rrrr 1100 iiii iiii iii1", "wlstp", Kind::kBranch, start_unless_zero},
    {"1111 0000 00ft 1111 1100 iiii iiii iii1", "le", Kind::kBranch, end},
    {"1111 0000 0000 1111 1110 0000 0000 0001", "lctp", Kind::kBranch, leave_tail},
    // clang-format on
};

}  // namespace

std::span<const Row> loop_rows() { return kRows; }

}  // namespace tinytune::helium
