// Reads a line of Thumb-2 assembly, as LLVM prints it, in the detail that reordering needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/instruction.h"

namespace tinytune {

/// Numbers of registers in Instruction's masks.
inline constexpr int kThumbSp = 13, kThumbLr = 14, kThumbPc = 15, kThumbFlags = 16;

/// A register that a line names.
struct ThumbOperand {
  int reg;
  size_t at, length;  ///< where in the line
  bool read, written;
};

struct ThumbLine {
  Instruction facts;              ///< as the timing model sees it; address and size are left out
  int base = -1;                  ///< register of a load's or store's address; -1: none
  int index = -1;                 ///< register that is added to it
  int64_t offset = 0, bytes = 0;  ///< offset from the base, bytes accessed
  /// If set, register `moved` becomes the old value of `moved_from` plus `distance`. With an
  /// access, both are its base.
  int moved = -1, moved_from = -1;
  int64_t distance = 0;
  bool needs_low = false;              ///< there is no form of it for r8 and above
  std::vector<ThumbOperand> operands;  ///< in their order
};

/// Returns nothing for lines that must stay where they are: directives, labels, conditional
/// instructions, jumps, transfers of several registers, and all that is not known here.
std::optional<ThumbLine> read_thumb_line(std::string_view line);

/// Reads a conditional branch or a jump that may end a run of such lines.
std::optional<Instruction> read_thumb_branch(std::string_view line);

}  // namespace tinytune
