#include "simulator/data_flow.h"

#include <algorithm>
#include <bit>

namespace tinytune {

void DataFlow::begin(std::span<const AddressRange> buffers) {
  buffers_.assign(buffers.begin(), buffers.end());
  registers_.fill(0);
  vectors_.fill(0);
  bytes_.clear();
  factors_.clear();
}

uint32_t DataFlow::sources_of_memory(const Access& access) const {
  uint32_t sources = 0;
  for (uint32_t i = 0; i < access.size_bytes; ++i)
    if (const auto stored = bytes_.find(access.address + i); stored != bytes_.end())
      sources |= stored->second;
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (access.address - buffers_[i].address < buffers_[i].size_bytes) sources |= uint32_t{1} << i;
  return sources;
}

uint32_t DataFlow::sources_of(uint64_t registers) const {
  uint32_t sources = 0;
  for (; registers != 0; registers &= registers - 1)
    sources |= registers_[static_cast<size_t>(std::countr_zero(registers))];
  return sources;
}

uint32_t DataFlow::sources_of_vectors(uint32_t vectors) const {
  uint32_t sources = 0;
  for (; vectors != 0; vectors &= vectors - 1)
    sources |= vectors_[static_cast<size_t>(std::countr_zero(vectors))];
  return sources;
}

void DataFlow::count_product(uint32_t a, uint32_t b) { ++factors_[std::minmax(a, b)]; }

void DataFlow::multiply(const Instruction& instruction) {
  const uint64_t factors = instruction.reads & ~instruction.added_reads;
  const uint64_t first = factors & (~factors + 1), second = factors ^ first;
  count_product(sources_of(first), sources_of(second == 0 ? first : second));
}

// Core registers that it reads are addresses where it loads or stores, else values.
void DataFlow::follow_vector(const Instruction& instruction, const VectorUnit::Use& use,
                             std::span<const Access> accesses) {
  uint32_t sources = sources_of_vectors(use.reads);
  if (use.multiplies) {
    const uint32_t first = use.reads & (~use.reads + 1), second = use.reads ^ first;
    count_product(sources_of_vectors(first), sources_of_vectors(second == 0 ? first : second));
  }
  if (instruction.is_store()) {
    for (const Access& access : accesses)
      for (uint32_t i = 0; i < access.size_bytes; ++i) bytes_[access.address + i] = sources;
    return;
  }
  for (const Access& access : accesses) sources |= sources_of_memory(access);
  if (!instruction.is_load()) {
    sources |= sources_of(instruction.reads);
    write(instruction, instruction.writes, sources);
  }
  const bool lanes_stay = !instruction.is_load() && use.reads == 0 && instruction.reads != 0;
  for (uint32_t left = use.writes; left != 0; left &= left - 1) {
    uint32_t& vector = vectors_[static_cast<size_t>(std::countr_zero(left))];
    vector = sources | (lanes_stay ? vector : 0);
  }
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
      write(instruction, next, sources_of_memory(access));
      continue;
    }
    for (uint32_t i = 0; i < access.size_bytes; ++i) bytes_[access.address + i] = sources_of(next);
  }
}

void DataFlow::write(const Instruction& instruction, uint64_t registers, uint32_t sources) {
  for (; registers != 0; registers &= registers - 1) {
    uint32_t& reg = registers_[static_cast<size_t>(std::countr_zero(registers))];
    reg = sources | (instruction.conditional ? reg : 0);
  }
}

void DataFlow::follow(std::span<const Instruction> block, std::span<const Access> accesses,
                      const UseOfVectors& use) {
  const auto is_scalar = [](const Access& access) { return access.vector == 0; };
  size_t needed = 0;  // accesses of instructions yet to come that surely do them
  for (const Instruction& i : block)
    if ((i.is_load() || i.is_store()) && !i.conditional && !i.vector) needed += i.words;
  needed +=
      static_cast<size_t>(std::count_if(accesses.begin(), accesses.end(), std::not_fn(is_scalar)));
  for (const Instruction& i : block) {
    if (i.vector) {
      const auto own = std::find_if(accesses.begin(), accesses.end(), [&](const Access& access) {
        return access.vector != i.address;
      });
      const auto count = static_cast<size_t>(own - accesses.begin());
      follow_vector(i, use(i), accesses.first(count));
      accesses = accesses.subspan(count);
      continue;
    }
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
