#include "simulator/helium/machine.h"

namespace tinytune::helium {
namespace {

// The two halves of VPR, each for 8 bytes of a vector.
struct Half {
  unsigned mask_shift, p0_shift;
};
constexpr Half kHalves[] = {{16, 0}, {20, 8}};

}  // namespace

uint16_t Machine::predicate() {
  uint32_t mask = p0();
  for (const Half& half : kHalves)
    if ((state_.vpr >> half.mask_shift & 15) == 0) mask |= 0xFFu << half.p0_shift;
  if (state_.ltpsize < 4) mask &= first(core_.get(kLr), state_.ltpsize);
  return static_cast<uint16_t>(mask);
}

// A VPT block's pattern ends in a 1 and is shifted out at the top. If the bit shifted out is set
// and others remain, the next instruction is an "else", with the predicate inverted.
void Machine::end_vector() {
  if (state_.vpr >> 16 == 0 && vpt_ == 0) return;
  for (const Half& half : kHalves) {
    const uint32_t left = state_.vpr >> half.mask_shift & 15;
    if (left > 8) state_.vpr ^= 0xFFu << half.p0_shift;
    state_.vpr = (state_.vpr & ~(15u << half.mask_shift)) | (left << 1 & 15) << half.mask_shift;
  }
  if (vpt_ != 0) state_.vpr = (state_.vpr & 0xFFFF) | vpt_ << 16 | vpt_ << 20;
}

}  // namespace tinytune::helium
