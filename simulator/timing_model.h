// How long instructions take: a scoreboard of an in-order core, parameterised by the device file.
//
// It runs when a block is first met and never again: cost depends on the instructions and on the
// pipeline's state at entry, both of which repeat, so the result is cached (block_graph.h).
// Anything that depends on data, like early exit of a divider, gets one fixed figure.
//
// Models and their keys (cycles):
//   unit      none. One instruction, one cycle.
//   in_order  alu, multiply, multiply_high, divide, load, store: until the next instruction issues
//             load_use, multiply_use: more before a dependent instruction issues
//             branch_taken, branch_not_taken, jump, jump_indirect: likewise until the next issues
//             jump_use: more when the target register was written by the instruction before
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>

#include "devices/device.h"
#include "simulator/instruction.h"
#include "tinytune/result.h"

namespace tinytune {

/// What one block leaves behind for the next.
struct PipelineState {
  std::array<uint8_t, 64> wait{};  ///< cycles until a register can be read
  uint64_t just_written = 0;       ///< by the instruction before

  auto operator<=>(const PipelineState&) const = default;
};

class TimingModel {
 public:
  /// kInvalidInput: an unknown model, or an unknown or missing key; the message names it.
  static Result<TimingModel> create(const Timing& timing);

  /// Cycles of `block` entered in `state`, which is left as the block leaves it. `taken` says
  /// whether control leaves through its last instruction's jump.
  uint32_t run(std::span<const Instruction> block, bool taken, PipelineState& state) const;

 private:
  uint32_t issue(const Instruction& instruction, bool taken, PipelineState& state) const;
  uint32_t issue_cycles(const Instruction& instruction, bool taken) const;

  bool unit_ = true;
  uint32_t alu_ = 1, multiply_ = 1, multiply_high_ = 1, divide_ = 1, load_ = 1, store_ = 1;
  uint32_t load_use_ = 0, multiply_use_ = 0;
  uint32_t branch_taken_ = 1, branch_not_taken_ = 1, jump_ = 1, jump_indirect_ = 1, jump_use_ = 0;
};

}  // namespace tinytune
