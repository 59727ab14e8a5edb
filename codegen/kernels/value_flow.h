// Which instructions of a list must come before which others: uses behind what makes their values,
// accesses to memory that may meet, and what stays in one register one behind the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/kernels/thumb_text.h"

namespace tinytune {

inline constexpr int kListRegisters = 17;  // and flags

struct ListedInstruction {
  std::string_view text;
  ThumbLine line;
  /// Of a template: it never loads what a store of the same list wrote, except from the same base.
  bool by_template = false;
};

struct ValueFlow {
  /// What one instruction makes and others use.
  struct Value {
    int reg;             ///< in the text
    bool fixed = false;  ///< it stays there
    int uses = 0;        ///< instructions that read it; those behind the list count as one more
  };
  struct Node {
    std::vector<std::pair<int, int>> reads, writes;  ///< register in the text, value
    std::vector<int> after;                          ///< nodes that must come after this one
    std::vector<int> after_text;  ///< … with every register where the text has it
  };

  explicit ValueFlow(const std::vector<ListedInstruction>& list);

  std::vector<Value> values;  ///< of the registers at the start, then of instructions
  std::vector<Node> nodes;    ///< by instruction
  uint64_t named = 0;         ///< registers that the list reads or writes

 private:
  void follow(const std::vector<ListedInstruction>& list);
  void connect(const std::vector<ListedInstruction>& list);
  bool must_follow(int first, int second) const;
};

}  // namespace tinytune
