// Which buffers a kernel multiplies: follows, instruction by instruction, where values come from.
//
// A count of multiplications does not tell products of inputs and weights from requantisation and
// from arithmetic on addresses. Their sources do: every register and every byte of memory has a set
// of buffers that its value was computed from, a bit each. Addresses are no sources: what a pointer
// was computed from says nothing of what it points to.
//
// Blocks are followed once they have run, from their instructions and the accesses seen meanwhile.
// What is predicated keeps its old sources too, as it may have done nothing; so do vectors of which
// a lane is written.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/instruction.h"
#include "simulator/simulator.h"
#include "simulator/vector_unit.h"

namespace tinytune {

class DataFlow {
 public:
  struct Access {
    uint32_t address;
    uint32_t size_bytes;  ///< of what one register holds: 1, 2 or 4; of vectors, one element
    bool is_write;
    uint32_t vector = 0;  ///< address of the vector instruction; 0: of another one
  };
  using UseOfVectors = std::function<VectorUnit::Use(const Instruction&)>;

  /// Nothing has a source but the buffers themselves, at most 32.
  void begin(std::span<const AddressRange> buffers);

  bool follows() const { return !buffers_.empty(); }

  /// A block that ran to its end. `accesses`: of its instructions, in order; `use`: of those for
  /// the vector unit.
  void follow(std::span<const Instruction> block, std::span<const Access> accesses,
              const UseOfVectors& use);

  const FactorCounts& factors() const { return factors_; }

 private:
  uint32_t sources_of_memory(const Access& access) const;
  uint32_t sources_of(uint64_t registers) const;
  uint32_t sources_of_vectors(uint32_t vectors) const;
  void count_product(uint32_t a, uint32_t b);
  void multiply(const Instruction& instruction);
  void follow_vector(const Instruction& instruction, const VectorUnit::Use& use,
                     std::span<const Access> accesses);
  void move(const Instruction& instruction, std::span<const Access> accesses);
  void write(const Instruction& instruction, uint64_t registers, uint32_t sources);

  std::vector<AddressRange> buffers_;
  std::array<uint32_t, 64> registers_{};          // bits of Instruction::reads
  std::array<uint32_t, 32> vectors_{};            // bits of VectorUnit::Use, all lanes alike
  std::unordered_map<uint32_t, uint32_t> bytes_;  // by address: what was stored there
  FactorCounts factors_;
};

}  // namespace tinytune
