// The instruction set as tables: one row for each encoding, and the function that executes it.
//
// A pattern has a character for each of an instruction's 32 bits, the first half word first, as the
// manual draws it: 0 and 1 are fixed, letters are fields. The letters inform the reader and the
// generator of random code: d, n and m are numbers of vectors; t, u, r of core registers; s is the
// element's size, i an immediate, U unsigned. Handlers decode fields at their common positions.
#pragma once

#include <span>
#include <string_view>

#include "simulator/helium/machine.h"

namespace tinytune::helium {

enum class Kind : uint8_t {
  kVector,  ///< predicated, allowed in a VPT block
  kLoad,    ///< … and reads memory
  kStore,
  kOutside,  ///< not predicated, not allowed in a VPT block
  kScalar,   ///< touches neither vectors nor the predicate
  kBranch,   ///< low-overhead loops
};

/// False: an encoding that the architecture leaves undefined or unpredictable.
using Handler = bool (*)(Machine&, uint32_t code);

struct Row {
  std::string_view pattern, name;
  Kind kind;
  Handler execute;
};

std::span<const Row> arithmetic_rows();
std::span<const Row> scalar_operand_rows();
std::span<const Row> multiply_rows();
std::span<const Row> reduction_rows();
std::span<const Row> shift_rows();
std::span<const Row> narrowing_rows();
std::span<const Row> compare_rows();
std::span<const Row> move_rows();
std::span<const Row> memory_rows();
std::span<const Row> structure_rows();
std::span<const Row> float_register_rows();
std::span<const Row> loop_rows();
std::span<const Row> core_rows();

// Fields that most rows share.
constexpr unsigned qd(uint32_t code) { return field(code, 15, 13); }
constexpr unsigned qn(uint32_t code) { return field(code, 19, 17); }
constexpr unsigned qm(uint32_t code) { return field(code, 3, 1); }
constexpr unsigned size_at_20(uint32_t code) { return field(code, 21, 20); }
constexpr unsigned size_at_18(uint32_t code) { return field(code, 19, 18); }
constexpr bool is_unsigned(uint32_t code) { return field(code, 28, 28) != 0; }
/// Returns whether `reg` is neither the stack pointer nor the program counter.
constexpr bool is_general(unsigned reg) { return reg != kSp && reg != kPc; }

}  // namespace tinytune::helium
