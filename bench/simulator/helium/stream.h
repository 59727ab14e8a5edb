// Random streams of Helium instructions, generated and executed at once.
//
// Each instruction is drawn from the executor's own tables and tried on a copy of the state. It is
// drawn again if the executor refuses it, if it accesses memory outside the stream's, or if it
// moves a base register. So every stream runs to its end, with the executor's end state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "simulator/helium/executor.h"

namespace tinytune::helium {

/// State of the core before or after a stream, in the memory layout that harness.S reads.
struct Block {
  static constexpr uint32_t kMemoryBytes = 512;
  std::array<uint32_t, 14> registers{};  ///< r0 to r12, lr
  uint32_t apsr = 0, vpr = 0, fpscr = 0, unused = 0;
  std::array<uint8_t, 128> vectors{};
  std::array<uint8_t, kMemoryBytes> memory{};
};
static_assert(sizeof(Block) == 712);

struct Stream {
  std::vector<uint32_t> code;  ///< 4 bytes each, the first half word in the upper bits
  Block begin, end;
  size_t drawn = 0;  ///< number of Helium instructions
};

/// A core with one block's memory, which also executes the moves that prepare addresses.
class StreamCore final : public Core {
 public:
  StreamCore(const Block& block, uint32_t block_address);

  uint32_t get(unsigned reg) override { return registers_[reg]; }
  void set(unsigned reg, uint32_t value) override { registers_[reg] = value; }
  uint32_t value(unsigned reg) const { return registers_[reg]; }
  uint32_t flags() override { return apsr_; }
  void set_flags(uint32_t apsr) override { apsr_ = apsr; }
  uint8_t* access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes,
                  bool is_write) override;

  /// Returns false if refused, on a fault, or if a base register moved.
  bool step(uint32_t code, uint32_t& address);
  uint32_t memory_address() const { return memory_address_; }
  bool in_vpt_block() const { return (executor_.state().vpr >> 16) != 0; }
  Block block() const;

 private:
  std::array<uint32_t, 15> registers_{};
  uint32_t apsr_ = 0;
  std::array<uint8_t, Block::kMemoryBytes> memory_{};
  uint32_t memory_address_ = 0;
  Executor executor_;
};

class StreamMaker {
 public:
  explicit StreamMaker(uint64_t seed);
  /// Draws at least `length` instructions; the block will be at `block_address`.
  Stream make(size_t length, uint32_t block_address, uint32_t code_address);

 private:
  uint32_t random(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  uint32_t word() { return static_cast<uint32_t>(random_()); }
  Block random_block(uint32_t block_address);
  std::vector<uint32_t> draw(const StreamCore& core);
  void aim(const Row& row, uint32_t& code, const StreamCore& core, std::vector<uint32_t>& before);
  bool add_one(Stream& stream, StreamCore& core, uint32_t code_address);
  bool add_loop(Stream& stream, StreamCore& core, uint32_t code_address);

  std::mt19937_64 random_;
  std::vector<const Row*> rows_, predicated_, comparing_;
};

}  // namespace tinytune::helium
