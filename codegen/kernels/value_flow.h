// Dependences between the instructions of a list: uses after definitions, memory accesses that may
// alias, and values that stay in one register one after the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/kernels/thumb_text.h"

namespace tinytune {

inline constexpr int kListRegisters = 17;  // 16 registers and the flags

struct ListedInstruction {
  std::string_view text;
  ThumbLine line;
  /// Written by a template: never loads what a store of the list wrote, except from the same base.
  bool by_template = false;
};

struct ValueFlow {
  /// A value that one instruction defines and others use.
  struct Value {
    int reg;             ///< in the text
    bool fixed = false;  ///< it must stay in that register
    int uses = 0;        ///< instructions that read it; those behind the list count as one more
  };
  struct Node {
    std::vector<std::pair<int, int>> reads, writes;  ///< register in the text, value
    std::vector<int> after;                          ///< nodes that must come after this one
    std::vector<int> after_text;                     ///< the same if registers stay as in the text
  };

  explicit ValueFlow(const std::vector<ListedInstruction>& list);

  std::vector<Value> values;  ///< the registers at the start, then results of instructions
  std::vector<Node> nodes;    ///< by instruction
  uint64_t named = 0;         ///< registers that the list reads or writes

 private:
  void follow(const std::vector<ListedInstruction>& list);
  void connect(const std::vector<ListedInstruction>& list);
  bool must_follow(int first, int second) const;
};

}  // namespace tinytune
