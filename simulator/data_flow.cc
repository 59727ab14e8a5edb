#include "simulator/data_flow.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tinytune {

void DataFlow::begin(std::span<const AddressRange> buffers) {
  buffers_.assign(buffers.begin(), buffers.end());
  registers_.fill({});
  vectors_.fill({});
  bytes_.clear();
  spilled_.clear();
  unused_.assign(1, 0);
  factors_.clear();
  loads_.clear();
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

bool DataFlow::is_in_buffer(const Access& access) const {
  return std::any_of(buffers_.begin(), buffers_.end(), [&](const AddressRange& buffer) {
    return access.address - buffer.address < buffer.size_bytes;
  });
}

size_t DataFlow::new_load(uint32_t bytes) {
  if (bytes == 0) return 0;
  unused_.push_back(bytes);
  return unused_.size() - 1;
}

uint32_t DataFlow::sources_of(uint64_t registers) const {
  uint32_t sources = 0;
  for (; registers != 0; registers &= registers - 1)
    sources |= registers_[static_cast<size_t>(std::countr_zero(registers))].sources;
  return sources;
}

size_t DataFlow::load_of(uint64_t registers) const {
  return std::popcount(registers) == 1
             ? registers_[static_cast<size_t>(std::countr_zero(registers))].load
             : 0;
}

size_t DataFlow::load_of_vectors(uint32_t vectors) const {
  return std::popcount(vectors) == 1 ? vectors_[static_cast<size_t>(std::countr_zero(vectors))].load
                                     : 0;
}

uint32_t DataFlow::sources_of_vectors(uint32_t vectors) const {
  uint32_t sources = 0;
  for (; vectors != 0; vectors &= vectors - 1)
    sources |= vectors_[static_cast<size_t>(std::countr_zero(vectors))].sources;
  return sources;
}

void DataFlow::count_product(const Value& a, const Value& b) {
  const bool swapped = b.sources < a.sources;
  const Value &first = swapped ? b : a, &second = swapped ? a : b;
  const std::pair key(first.sources, second.sources);
  ++factors_[key];
  loads_[key].first += std::exchange(unused_[first.load], 0u);
  loads_[key].second += std::exchange(unused_[second.load], 0u);
}

void DataFlow::multiply(const Instruction& instruction) {
  const uint64_t factors = instruction.reads & ~instruction.added_reads;
  const uint64_t first = factors & (~factors + 1);
  const uint64_t second = factors == first ? first : factors ^ first;
  count_product({sources_of(first), load_of(first)}, {sources_of(second), load_of(second)});
}

// Core registers that it reads are addresses if it loads or stores, else values.
void DataFlow::follow_vector(const Instruction& instruction, const VectorUnit::Use& use,
                             std::span<const Access> accesses) {
  uint32_t sources = sources_of_vectors(use.reads);
  if (use.multiplies) {
    const uint32_t first = use.reads & (~use.reads + 1), second = use.reads ^ first;
    const Value a{sources_of_vectors(first), load_of_vectors(first)};
    if (second != 0)
      count_product(a, {sources_of_vectors(second), load_of_vectors(second)});
    else if (instruction.reads != 0)
      count_product(a, {sources_of(instruction.reads), load_of(instruction.reads)});
    else
      count_product(a, a);
  }
  if (instruction.is_store()) {
    for (const Access& access : accesses)
      for (uint32_t i = 0; i < access.size_bytes; ++i) bytes_[access.address + i] = sources;
    return;
  }
  uint32_t loaded = 0;
  for (const Access& access : accesses) {
    sources |= sources_of_memory(access);
    if (is_in_buffer(access)) loaded += access.size_bytes;
  }
  const size_t load = instruction.is_load() ? new_load(loaded)
                      : use.multiplies      ? 0
                                            : load_of_vectors(use.reads);
  if (!instruction.is_load()) {
    sources |= sources_of(instruction.reads);
    write(instruction, instruction.writes, {sources});
  }
  const bool lanes_stay = !instruction.is_load() && use.reads == 0 && instruction.reads != 0;
  for (uint32_t left = use.writes; left != 0; left &= left - 1) {
    Value& vector = vectors_[static_cast<size_t>(std::countr_zero(left))];
    vector = {sources | (lanes_stay || use.adds ? vector.sources : 0), load};
  }
}

// Registers that hold addresses keep their sources: an updated base is not data.
void DataFlow::move(const Instruction& instruction, std::span<const Access> accesses) {
  const bool load = instruction.is_load();
  uint64_t registers = load ? instruction.writes : instruction.reads & ~instruction.address_reads;
  if (std::popcount(registers) > instruction.words) registers &= ~instruction.address_reads;
  for (const Access& access : accesses) {
    const uint64_t next =
        instruction.descending ? std::bit_floor(registers) : registers & (~registers + 1);
    registers &= ~next;
    if (load) {
      const auto spilled = spilled_.find(access.address);
      const size_t again = spilled == spilled_.end() ? 0 : spilled->second;
      write(
          instruction, next,
          {sources_of_memory(access), is_in_buffer(access) ? new_load(access.size_bytes) : again});
      continue;
    }
    for (uint32_t i = 0; i < access.size_bytes; ++i) bytes_[access.address + i] = sources_of(next);
    spilled_[access.address] = load_of(next);
  }
}

void DataFlow::write(const Instruction& instruction, uint64_t registers, const Value& value) {
  for (; registers != 0; registers &= registers - 1) {
    Value& reg = registers_[static_cast<size_t>(std::countr_zero(registers))];
    const uint32_t kept = instruction.conditional ? reg.sources : 0;
    reg = {value.sources | kept, value.load};
  }
}

void DataFlow::follow(std::span<const Instruction> block, std::span<const Access> accesses,
                      const UseOfVectors& use) {
  const auto is_scalar = [](const Access& access) { return access.vector == 0; };
  size_t needed = 0;  // accesses of later instructions that are certain: unpredicated or vector
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
      write(i, i.writes, {sources_of(i.reads), i.is_multiply() ? 0 : load_of(i.reads)});
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
