#include "simulator/riscv_execute.h"

#include <algorithm>
#include <bit>

#include "simulator/code_scan.h"

namespace tinytune {
namespace {

constexpr uint32_t bits(uint32_t code, unsigned high, unsigned low) {
  return code >> low & ((2u << (high - low)) - 1);
}

using Binary = uint32_t (*)(uint32_t a, uint32_t b);
using Unary = uint32_t (*)(uint32_t a);

int32_t as_signed(uint32_t value) { return static_cast<int32_t>(value); }

uint64_t carryless(uint32_t a, uint32_t b) {
  uint64_t product = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((b >> i & 1) != 0) product ^= uint64_t{a} << i;
  return product;
}

uint32_t reverse_bytes(uint32_t a) {
  return a << 24 | (a & 0xFF00) << 8 | (a >> 8 & 0xFF00) | a >> 24;
}

uint32_t reverse_bits_of_bytes(uint32_t a) {
  a = (a & 0x55555555) << 1 | (a >> 1 & 0x55555555);
  a = (a & 0x33333333) << 2 | (a >> 2 & 0x33333333);
  return (a & 0x0F0F0F0F) << 4 | (a >> 4 & 0x0F0F0F0F);
}

uint32_t or_combine(uint32_t a) {
  uint32_t result = 0;
  for (uint32_t byte = 0xFF; byte != 0; byte <<= 8)
    if ((a & byte) != 0) result |= byte;
  return result;
}

uint32_t zip(uint32_t a) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 16; ++i)
    result |= (a >> i & 1) << (2 * i) | (a >> (i + 16) & 1) << (2 * i + 1);
  return result;
}

uint32_t unzip(uint32_t a) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 16; ++i)
    result |= (a >> (2 * i) & 1) << i | (a >> (2 * i + 1) & 1) << (i + 16);
  return result;
}

// Two registers: major opcode 0x33.
struct BinaryRow {
  uint32_t funct7, funct3;
  Binary compute;
};
constexpr BinaryRow kBinary[] = {
    {0x10, 2, [](uint32_t a, uint32_t b) { return (a << 1) + b; }},  // sh1add
    {0x10, 4, [](uint32_t a, uint32_t b) { return (a << 2) + b; }},
    {0x10, 6, [](uint32_t a, uint32_t b) { return (a << 3) + b; }},
    {0x20, 7, [](uint32_t a, uint32_t b) { return a & ~b; }},  // andn
    {0x20, 6, [](uint32_t a, uint32_t b) { return a | ~b; }},
    {0x20, 4, [](uint32_t a, uint32_t b) { return ~(a ^ b); }},
    {0x05, 4, [](uint32_t a, uint32_t b) { return as_signed(a) < as_signed(b) ? a : b; }},  // min
    {0x05, 5, [](uint32_t a, uint32_t b) { return std::min(a, b); }},
    {0x05, 6, [](uint32_t a, uint32_t b) { return as_signed(a) < as_signed(b) ? b : a; }},
    {0x05, 7, [](uint32_t a, uint32_t b) { return std::max(a, b); }},
    {0x30, 1, [](uint32_t a, uint32_t b) { return std::rotl(a, static_cast<int>(b & 31)); }},
    {0x30, 5, [](uint32_t a, uint32_t b) { return std::rotr(a, static_cast<int>(b & 31)); }},
    {0x05, 1, [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(carryless(a, b)); }},
    {0x05, 3, [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(carryless(a, b) >> 32); }},
    {0x05, 2, [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(carryless(a, b) >> 31); }},
    {0x24, 1, [](uint32_t a, uint32_t b) { return a & ~(1u << (b & 31)); }},  // bclr
    {0x24, 5, [](uint32_t a, uint32_t b) { return a >> (b & 31) & 1; }},
    {0x34, 1, [](uint32_t a, uint32_t b) { return a ^ 1u << (b & 31); }},
    {0x14, 1, [](uint32_t a, uint32_t b) { return a | 1u << (b & 31); }},
    {0x04, 4, [](uint32_t a, uint32_t b) { return (a & 0xFFFF) | b << 16; }},  // pack; zext.h
    {0x04, 7, [](uint32_t a, uint32_t b) { return (a & 0xFF) | (b & 0xFF) << 8; }},
};

// A register and a shift amount: major opcode 0x13.
constexpr BinaryRow kImmediate[] = {
    {0x30, 5, [](uint32_t a, uint32_t n) { return std::rotr(a, static_cast<int>(n)); }},
    {0x24, 1, [](uint32_t a, uint32_t n) { return a & ~(1u << n); }},
    {0x24, 5, [](uint32_t a, uint32_t n) { return a >> n & 1; }},
    {0x34, 1, [](uint32_t a, uint32_t n) { return a ^ 1u << n; }},
    {0x14, 1, [](uint32_t a, uint32_t n) { return a | 1u << n; }},
};

// A register alone: major opcode 0x13.
struct UnaryRow {
  uint32_t funct12, funct3;
  Unary compute;
};
constexpr UnaryRow kUnary[] = {
    {0x600, 1, [](uint32_t a) { return static_cast<uint32_t>(std::countl_zero(a)); }},
    {0x601, 1, [](uint32_t a) { return static_cast<uint32_t>(std::countr_zero(a)); }},
    {0x602, 1, [](uint32_t a) { return static_cast<uint32_t>(std::popcount(a)); }},
    {0x604, 1, [](uint32_t a) { return static_cast<uint32_t>(static_cast<int8_t>(a)); }},
    {0x605, 1, [](uint32_t a) { return static_cast<uint32_t>(static_cast<int16_t>(a)); }},
    {0x287, 5, or_combine},
    {0x698, 5, reverse_bytes},
    {0x687, 5, reverse_bits_of_bytes},
    {0x08F, 1, zip},
    {0x08F, 5, unzip},
};

}  // namespace

bool riscv_branch_holds(uint32_t code, const RegisterReader& x) {
  if (bits(code, 1, 0) != 3) {  // c.beqz, c.bnez
    const uint32_t a = x(8 + bits(code, 9, 7));
    return bits(code, 13, 13) != 0 ? a != 0 : a == 0;
  }
  const uint32_t a = x(bits(code, 19, 15)), b = x(bits(code, 24, 20));
  bool holds = a == b;
  if (bits(code, 14, 13) == 2) holds = static_cast<int32_t>(a) < static_cast<int32_t>(b);
  if (bits(code, 14, 13) == 3) holds = a < b;
  return holds != (bits(code, 12, 12) != 0);
}

std::optional<RegisterWrite> execute_bit_manipulation(uint32_t code, const RegisterReader& x) {
  const uint32_t opcode = bits(code, 6, 0), funct3 = bits(code, 14, 12), rd = bits(code, 11, 7);
  const uint32_t funct7 = bits(code, 31, 25), rs1 = bits(code, 19, 15), rs2 = bits(code, 24, 20);
  if (opcode == 0x33) {
    for (const BinaryRow& row : kBinary)
      if (row.funct7 == funct7 && row.funct3 == funct3)
        return RegisterWrite{rd, row.compute(x(rs1), x(rs2))};
  }
  if (opcode == 0x13) {
    for (const UnaryRow& row : kUnary)
      if (row.funct12 == bits(code, 31, 20) && row.funct3 == funct3)
        return RegisterWrite{rd, row.compute(x(rs1))};
    for (const BinaryRow& row : kImmediate)
      if (row.funct7 == funct7 && row.funct3 == funct3)
        return RegisterWrite{rd, row.compute(x(rs1), rs2)};
  }
  return std::nullopt;
}

bool is_riscv_vector(uint32_t code) {
  const uint32_t opcode = bits(code, 6, 0), funct3 = bits(code, 14, 12);
  const bool vector_width = funct3 == 0 || funct3 >= 5;  // others are scalar floating point
  return opcode == 0x57 || ((opcode == 0x07 || opcode == 0x27) && vector_width);
}

bool riscv_ends_block(uint32_t code) {
  const uint32_t funct3 = bits(code, 15, 13);
  switch (bits(code, 1, 0)) {
    case 0:
      return (code & 0xFFFF) == 0;
    case 1:  // c.jal, c.j, c.beqz, c.bnez
      return funct3 == 1 || funct3 >= 5;
    case 2:  // c.jr, c.jalr, c.ebreak
      return funct3 == 4 && bits(code, 6, 2) == 0;
    default: {
      const uint32_t opcode = bits(code, 6, 0);
      return opcode == 0x63 || opcode == 0x67 || opcode == 0x6F || opcode == 0x73 ||
             (opcode == 0x0F && bits(code, 14, 12) == 1) || is_bit_manipulation(code) ||
             is_riscv_vector(code);
    }
  }
}

std::optional<unsigned> riscv_signed_dividend(uint32_t code) {
  constexpr uint32_t kMulDiv = 0x02000033;
  const uint32_t what = bits(code, 14, 12);
  if ((code & 0xFE00007F) != kMulDiv || (what != 4 && what != 6)) return std::nullopt;
  return bits(code, 19, 15);
}

std::vector<uint32_t> riscv_signed_divisions(std::span<const uint8_t> code, uint32_t address) {
  return addresses_of_code(code, address, riscv_signed_dividend);
}

}  // namespace tinytune
