#include "simulator/data_flow.h"

#include <algorithm>
#include <bit>

namespace tinytune {

void DataFlow::begin(std::span<const AddressRange> buffers) {
  buffers_.assign(buffers.begin(), buffers.end());
  registers_.fill(0);
  words_.clear();
  factors_.clear();
}

uint32_t DataFlow::sources_of_memory(uint32_t address) const {
  const auto stored = words_.find(address / 4);
  uint32_t sources = stored == words_.end() ? 0 : stored->second;
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (address - buffers_[i].address < buffers_[i].size_bytes) sources |= uint32_t{1} << i;
  return sources;
}

uint32_t DataFlow::sources_of(uint64_t registers) const {
  uint32_t sources = 0;
  for (; registers != 0; registers &= registers - 1)
    sources |= registers_[static_cast<size_t>(std::countr_zero(registers))];
  return sources;
}

void DataFlow::multiply(const Instruction& instruction) {
  const uint64_t factors = instruction.reads & ~instruction.added_reads;
  const uint64_t first = factors & (~factors + 1), second = factors ^ first;
  const auto [low, high] =
      std::minmax(sources_of(first), second == 0 ? sources_of(first) : sources_of(second));
  ++factors_[{low, high}];
}

// Registers that hold addresses keep their sources: what is added to them is no data.
void DataFlow::move(const Instruction& instruction, std::span<const Access> accesses) {
  const bool load = instruction.is_load();
  uint64_t registers = load ? instruction.writes : instruction.reads & ~instruction.address_reads;
  if (std::popcount(registers) > instruction.words) registers &= ~instruction.address_reads;
  for (const Access& access : accesses) {
    const uint64_t next =
        instruction.descending ? std::bit_floor(registers) : registers & (~registers + 1);
    registers &= ~next;
    if (load) {
      write(instruction, next, sources_of_memory(access.address));
      continue;
    }
    uint32_t& word = words_[access.address / 4];
    word = sources_of(next) | (access.is_whole ? 0 : word);
  }
}

void DataFlow::write(const Instruction& instruction, uint64_t registers, uint32_t sources) {
  for (; registers != 0; registers &= registers - 1) {
    uint32_t& reg = registers_[static_cast<size_t>(std::countr_zero(registers))];
    reg = sources | (instruction.conditional ? reg : 0);
  }
}

void DataFlow::follow(std::span<const Instruction> block, std::span<const Access> accesses) {
  size_t needed = 0;  // accesses of instructions yet to come that surely do them
  for (const Instruction& i : block)
    if ((i.is_load() || i.is_store()) && !i.conditional) needed += i.words;
  for (const Instruction& i : block) {
    if (!i.is_load() && !i.is_store()) {
      if (i.is_multiply()) multiply(i);
      write(i, i.writes, sources_of(i.reads));
      continue;
    }
    if (!i.conditional) needed -= i.words;
    const bool done = accesses.size() >= needed + i.words && accesses[0].is_write == i.is_store();
    if (!done) continue;
    move(i, accesses.first(i.words));
    accesses = accesses.subspan(i.words);
  }
}

}  // namespace tinytune
