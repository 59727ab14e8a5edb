// Which buffers a kernel multiplies: follows, instruction by instruction, where values come from.
//
// A count of multiplications does not tell products of inputs and weights from requantisation and
// from arithmetic on addresses. Their sources do: every register and every word of memory has a set
// of buffers that its value was computed from, a bit each. Addresses are no sources: what a pointer
// was computed from says nothing of what it points to.
//
// Blocks are followed once they have run, from their instructions and the accesses seen meanwhile.
// What is predicated keeps its old sources too, as it may have done nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/instruction.h"
#include "simulator/simulator.h"

namespace tinytune {

class DataFlow {
 public:
  struct Access {
    uint32_t address;
    bool is_write, is_whole;  ///< whole: a word, else a part of one
  };

  /// Nothing has a source but the buffers themselves, at most 32.
  void begin(std::span<const AddressRange> buffers);

  bool follows() const { return !buffers_.empty(); }

  /// A block that ran to its end. `accesses`: of its instructions, in order.
  void follow(std::span<const Instruction> block, std::span<const Access> accesses);

  const FactorCounts& factors() const { return factors_; }

 private:
  uint32_t sources_of_memory(uint32_t address) const;
  uint32_t sources_of(uint64_t registers) const;
  void multiply(const Instruction& instruction);
  void move(const Instruction& instruction, std::span<const Access> accesses);
  void write(const Instruction& instruction, uint64_t registers, uint32_t sources);

  std::vector<AddressRange> buffers_;
  std::array<uint32_t, 64> registers_{};          // bits of Instruction::reads
  std::unordered_map<uint32_t, uint32_t> words_;  // by address / 4: what was stored there
  FactorCounts factors_;
};

}  // namespace tinytune
