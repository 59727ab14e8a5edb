// Which buffers a kernel multiplies: follows, instruction by instruction, where values come from.
//
// A count of multiplications does not tell products of inputs and weights from requantisation and
// from arithmetic on addresses. Their sources do: every register and every byte of memory has a set
// of buffers that its value was computed from, a bit each. Addresses are no sources: what a pointer
// was computed from says nothing of what it points to.
//
// What is loaded into a register that becomes a factor is counted once, in bytes, however many
// products it serves; a value that was computed from it alone stands for it, and so does what is
// spilled outside the buffers: its reloads are none.
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
  const FactorLoads& factor_loads() const { return loads_; }

 private:
  /// What is known of a register's value.
  struct Value {
    uint32_t sources = 0;
    size_t load = 0;  ///< that it was computed from alone, by its number; 0: from none, or more
  };

  uint32_t sources_of_memory(const Access& access) const;
  /// A load of so many bytes from the buffers.
  size_t new_load(uint32_t bytes);
  bool is_in_buffer(const Access& access) const;
  uint32_t sources_of(uint64_t registers) const;
  uint32_t sources_of_vectors(uint32_t vectors) const;
  size_t load_of(uint64_t registers) const;
  size_t load_of_vectors(uint32_t vectors) const;
  void count_product(const Value& a, const Value& b);
  void multiply(const Instruction& instruction);
  void follow_vector(const Instruction& instruction, const VectorUnit::Use& use,
                     std::span<const Access> accesses);
  void move(const Instruction& instruction, std::span<const Access> accesses);
  void write(const Instruction& instruction, uint64_t registers, const Value& value);

  std::vector<AddressRange> buffers_;
  std::array<Value, 64> registers_{};             // bits of Instruction::reads
  std::array<Value, 32> vectors_{};               // bits of VectorUnit::Use, all lanes alike
  std::unordered_map<uint32_t, uint32_t> bytes_;  // by address: what was stored there
  std::unordered_map<uint32_t, size_t> spilled_;  // by address: Value::load of what is there
  std::vector<uint32_t> unused_ = {0};            // by load: bytes, 0 once it was a factor
  FactorCounts factors_;
  FactorLoads loads_;
};

}  // namespace tinytune
