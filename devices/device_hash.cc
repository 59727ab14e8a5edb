#include "devices/device_hash.h"

#include <sstream>

#include "base/hash.h"
#include "devices/core_table.h"

namespace tinytune::internal {

// Not hashed: name, description, clock, transports and sources, which change no cycle count; loop
// alignment, which is part of a record's schedule; capabilities, which follow from the hashed
// architecture and features; and the FPU with its cycles, which kernels do not use.
uint64_t hash_of(const Device& device) {
  std::ostringstream text;
  const Target target = without_fpu(device.target);
  text << static_cast<int>(target.family) << '|' << target.isa << '|' << target.triple << '|'
       << target.cpu << '|' << target.features << '|' << target.abi;
  for (const std::string& argument : clang_arguments(target)) text << '|' << argument;
  if (target.vector_bits != 0) text << "|vlen " << target.vector_bits;
  if (!target.compiler.empty()) text << "|compiler " << target.compiler;
  for (const MemoryRegion& m : device.memories) {
    text << "\nmemory " << m.name << ' ' << m.address << ' ' << m.size_bytes << ' ' << m.executable
         << m.writable;
    if (!m.source.empty())
      text << ' ' << m.fetch_cache << ' ' << m.read_cache << ' ' << m.fill_cycles;
    if (m.next_fill_cycles != m.fill_cycles) text << " next " << m.next_fill_cycles;
    // Banks matter only if accesses wait for them.
    if (!device.timing.cycles.contains("bank_wait")) continue;
    for (const std::string& bank : m.banks) text << " bank " << bank;
  }
  for (const CacheModel& c : device.caches) {
    text << "\ncache " << c.name << ' ' << c.size_bytes << ' ' << c.line_bytes << ' ' << c.ways
         << ' ' << c.fill_bytes << ' ' << static_cast<int>(c.replacement);
  }
  text << "\nplacement " << device.code_memory << ' ' << device.rodata_memory << ' '
       << device.data_memory << ' ' << device.stack_memory;
  if (!device.fast_code_memory.empty()) text << " fast code " << device.fast_code_memory;
  if (!device.fast_rodata_memories.empty()) text << " fast rodata";
  for (const std::string& memory : device.fast_rodata_memories)
    if (memory != device.fast_code_memory) text << ' ' << memory;  // only the overflow memories
  text << "\ntiming " << device.timing.model;
  for (const auto& [key, cycles] : device.timing.cycles)
    if (!key.starts_with("float_")) text << ' ' << key << '=' << cycles;
  // Names the rule of overlapping loads (memory_blocks.h), which changes the cycles of such files.
  const auto& cycles = device.timing.cycles;
  if (cycles.contains("load_after_load") && cycles.at("load_after_load") != cycles.at("load"))
    text << " overlap within a memory";
  return fnv1a(text.str());
}

}  // namespace tinytune::internal
