// The registers that Armv8.1-M adds to a core, and the interface of its instructions to the core.
//
// Q0 to Q7 are one array of bytes, which the floating-point registers alias (S registers 4 bytes
// each, D registers 8), so that code which saves q4 to q7 with `vpush {d8-d15}` needs no special
// case. The host is little-endian, like the core.
#pragma once

#include <array>
#include <cstdint>

namespace tinytune::helium {

struct State {
  alignas(16) std::array<uint8_t, 8 * 16> bytes{};
  /// P0, one bit per byte of a vector, in bits 15:0; the rest of a VPT block's pattern in 19:16
  /// (for the lower 8 bytes) and 23:20.
  uint32_t vpr = 0;
  uint32_t fpscr = 0;  ///< without LTPSIZE
  /// log2 of an element's bytes in a tail-predicated loop; 4 outside of one.
  unsigned ltpsize = 4;
};

constexpr uint32_t kSaturatedFlag = 1u << 27;  ///< FPSCR.QC
constexpr uint32_t kCarryFlag = 1u << 29;      ///< of FPSCR, and of APSR

constexpr unsigned kSp = 13, kLr = 14, kPc = 15;

/// The core that the instruction runs on.
class Core {
 public:
  virtual ~Core() = default;
  virtual uint32_t get(unsigned reg) = 0;
  virtual void set(unsigned reg, uint32_t value) = 0;
  virtual uint32_t flags() = 0;  ///< APSR
  virtual void set_flags(uint32_t apsr) = 0;
  /// Returns the bytes of consecutive elements, checked and timed like any access of the core;
  /// null: a fault, which the core has recorded. Calls are in architectural order.
  virtual uint8_t* access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes,
                          bool is_write) = 0;
};

}  // namespace tinytune::helium
