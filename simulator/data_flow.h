// Data flow from buffers into multiplications: tracks the sources of values, instruction by
// instruction.
//
// The sources tell products of inputs and weights from requantisation and address arithmetic, which
// a count of multiplications does not. Every register and every byte of memory has a set of
// buffers that its value was computed from, a bit each. Addresses are not sources: the sources of a
// pointer say nothing about the data that it points to.
//
// Bytes loaded for a factor count once, however many products they serve. A value computed from one
// load alone counts as that load, and so does a copy spilled outside the buffers: a reload is not
// another load.
//
// A block is tracked after it has run, from its instructions and the accesses seen meanwhile. The
// destination of a predicated instruction keeps its old sources too, as the instruction may have
// done nothing; so does a vector of which one lane is written.
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
    uint32_t size_bytes;  ///< 1, 2 or 4, for one register; of vectors, at most a word
    bool is_write;
    uint32_t vector = 0;  ///< address of the vector instruction; 0: not from one
  };
  using UseOfVectors = std::function<VectorUnit::Use(const Instruction&)>;

  /// Starts with at most 32 buffers; no other value has a source.
  void begin(std::span<const AddressRange> buffers);

  bool follows() const { return !buffers_.empty(); }

  /// Tracks a block that ran to its end. `accesses`: those of its instructions, in order; `use`:
  /// registers of its vector instructions.
  void follow(std::span<const Instruction> block, std::span<const Access> accesses,
              const UseOfVectors& use);

  const FactorCounts& factors() const { return factors_; }
  const FactorLoads& factor_loads() const { return loads_; }

 private:
  /// Origin of a register's value.
  struct Value {
    uint32_t sources = 0;
    size_t load = 0;  ///< number of the only load that it was computed from; 0: none, or several
  };

  uint32_t sources_of_memory(const Access& access) const;
  /// Adds a load of `bytes` from the buffers; returns its number.
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
  std::unordered_map<uint32_t, uint32_t> bytes_;  // by address: sources of the byte stored there
  std::unordered_map<uint32_t, size_t> spilled_;  // by address: Value::load of the stored value
  std::vector<uint32_t> unused_ = {0};            // by load: bytes, 0 once it was a factor
  FactorCounts factors_;
  FactorLoads loads_;
};

}  // namespace tinytune
