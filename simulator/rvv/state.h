// The state of a RISC-V vector unit (Zve32x, version 1.0): 32 registers of `vlenb` bytes, and their
// access by instructions.
//
// Elements are stored as in this process's memory, lowest first, and registers are consecutive, so
// that a group of registers is an array of elements. LMUL (registers per group) and SEW (bits per
// element) are kept as logarithms, so that VLMAX is a shift.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tinytune::rvv {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kIllegalType = 1u << 31;  ///< vtype.vill

struct State {
  explicit State(unsigned vector_bits)
      : vlenb(vector_bits / 8), registers(size_t{32} * vector_bits / 8) {}

  unsigned vlenb;  ///< bytes per register
  std::vector<uint8_t> registers;
  uint32_t vl = 0, vtype = kIllegalType, vstart = 0;
  uint32_t vxrm = 0;  ///< rounding: 0 up, 1 to even, 2 down, 3 to odd
  uint32_t vxsat = 0;

  bool legal() const { return vtype != kIllegalType; }
  /// Return log2 of SEW / 8 and of LMUL; require legal().
  int sew_log() const { return static_cast<int>(vtype >> 3 & 7); }
  int lmul_log() const { return static_cast<int>((vtype & 7) ^ 4) - 4; }
  /// Returns the number of elements of 2^`sew_log` bytes in 2^`lmul_log` registers.
  uint32_t elements(int sew_log, int lmul_log) const {
    return lmul_log < 0 ? vlenb >> sew_log >> -lmul_log : vlenb << lmul_log >> sew_log;
  }
  uint32_t vlmax() const { return elements(sew_log(), lmul_log()); }

  template <typename T>
  T* reg(unsigned number) {
    return reinterpret_cast<T*>(&registers[size_t{number} * vlenb]);
  }
  bool bit(unsigned number, uint32_t i) const {
    return (registers[size_t{number} * vlenb + i / 8] >> (i % 8) & 1) != 0;
  }
  void set_bit(unsigned number, uint32_t i, bool value) {
    uint8_t& byte = registers[size_t{number} * vlenb + i / 8];
    byte = static_cast<uint8_t>((byte & ~(1u << i % 8)) | uint32_t{value} << i % 8);
  }
};

/// One instruction's fields.
struct Code {
  uint32_t word;
  constexpr unsigned bits(unsigned high, unsigned low) const {
    return word >> low & ((2u << (high - low)) - 1);
  }
  unsigned opcode() const { return bits(6, 0); }
  unsigned vd() const { return bits(11, 7); }  ///< rd, or a store's source
  unsigned funct3() const { return bits(14, 12); }
  unsigned vs1() const { return bits(19, 15); }  ///< or rs1, or an immediate
  unsigned vs2() const { return bits(24, 20); }
  bool masked() const { return bits(25, 25) == 0; }
  unsigned funct6() const { return bits(31, 26); }
  int32_t immediate() const { return static_cast<int32_t>(word << 12) >> 27; }  ///< 5 bits, signed
};

}  // namespace tinytune::rvv
