#include "simulator/memory_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace tinytune {
namespace {

template <typename Visit>
void for_each_register(uint64_t mask, Visit visit) {
  for (mask &= 0xFFFF; mask != 0; mask &= mask - 1)
    visit(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

MemoryBlocks::MemoryBlocks(const Device& device) {
  std::vector<Part> gaps;  // a guard page belongs to the chip's memory, too
  for (const MemoryRegion& memory : device.memories) {
    const bool cached = !memory.fetch_cache.empty() || !memory.read_cache.empty();
    const auto wait = static_cast<uint8_t>(cached ? 0 : memory.fill_cycles);
    const auto alike = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
      return wait != 0 && part.load_wait == wait;
    });
    const uint8_t own = static_cast<uint8_t>(parts_.size() + 1);
    if (alike != parts_.end()) {
      const AddressRange& before = alike->range;
      const uint32_t end = before.address + before.size_bytes;
      if (end < memory.address) gaps.push_back({{end, memory.address - end}, alike->block, wait});
    }
    parts_.push_back(
        {{memory.address, memory.size_bytes}, alike != parts_.end() ? alike->block : own, wait});
  }
  parts_.insert(parts_.end(), gaps.begin(), gaps.end());
}

uint8_t MemoryBlocks::at(uint32_t address) const {
  for (const Part& part : parts_)
    if (address - part.range.address < part.range.size_bytes) return part.block;
  return 0;
}

uint8_t MemoryBlocks::load_wait(uint8_t block) const {
  for (const Part& part : parts_)
    if (part.block == block) return part.load_wait;
  return 0;
}

void MemoryBlocks::find(std::span<Instruction> code,
                        const std::function<uint32_t(unsigned)>& registers) const {
  if (!registers) return;
  std::array<std::optional<uint8_t>, 16> points;  // the block of each register, read on demand
  const auto pointed_to = [&](uint64_t mask) {
    uint8_t block = 0;
    for_each_register(mask, [&](unsigned reg) {
      if (!points[reg]) {
        const uint32_t pointer = registers(reg);
        points[reg] = at(pointer);
        // The pointer of an empty stack is at the end of its memory.
        if (*points[reg] == 0) points[reg] = at(pointer - 1);
      }
      if (block == 0) block = *points[reg];
    });
    return block;
  };
  for (Instruction& i : code) {
    const bool literal = i.is_load() && i.address_reads == 0;
    if (i.is_load() || i.is_store())
      i.memory_block = literal ? at(i.address) : pointed_to(i.address_reads);
    if (i.is_load()) i.load_wait = load_wait(i.memory_block);
    // A sum is in the block of its pointer. A loaded value may point anywhere; an updated base
    // stays in its block.
    const uint8_t result = i.kind == InstructionKind::kAlu ? pointed_to(i.reads) : uint8_t{0};
    const bool steps_base = std::popcount(i.writes) > (i.is_store() ? 0 : i.words);
    for_each_register(i.writes, [&](unsigned reg) {
      const bool base = steps_base && (i.address_reads >> reg & 1) != 0;
      if (!base) points[reg] = result;
    });
  }
}

}  // namespace tinytune
