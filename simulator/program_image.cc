#include "simulator/program_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/printable.h"
#include "simulator/elf_file.h"

namespace tinytune {
namespace {

constexpr uint32_t kPageBytes = 4096;
constexpr size_t kLongestName = 256;

/// Returns a name with only printable characters.
std::string shown_name(const ElfFile& file, const Elf32_Shdr& names, uint32_t offset) {
  const auto text = file.part(names.sh_offset, names.sh_size, "names");
  return text ? printable(elf_name(*text, offset, kLongestName), kLongestName) : "";
}

std::string name_of(const ElfFile& file, const Elf32_Shdr& section) {
  const size_t names = file.header().e_shstrndx;
  if (names >= file.sections().size()) return "a section";
  const std::string text = shown_name(file, file.sections()[names], section.sh_name);
  return text.empty() ? "a section" : text;
}

/// Bytes of the file and their addresses; the rest of `size_bytes` is zero.
struct Piece {
  uint32_t address = 0, load_address = 0, size_bytes = 0;
  std::span<const uint8_t> bytes;
};

Error outside(const Device& device, const std::string& what, uint32_t address, uint32_t size) {
  std::string memories;
  for (const MemoryRegion& memory : device.memories)
    memories += fmt::format("{}{} {:#x}-{:#x}", memories.empty() ? "" : ", ", memory.name,
                            memory.address, uint64_t{memory.address} + memory.size_bytes - 1);
  return bad_elf(fmt::format("{}, {} bytes at {:#010x}, lies outside the memories of {} ({})", what,
                             size, address, device.name, memories));
}

/// Returns the sections with bytes in memory, sorted by address; thread-local zeros have none.
std::vector<Elf32_Shdr> placed_sections(const ElfFile& file) {
  std::vector<Elf32_Shdr> placed;
  for (const Elf32_Shdr& section : file.sections()) {
    const bool only_model = (section.sh_flags & SHF_TLS) != 0 && section.sh_type == SHT_NOBITS;
    if ((section.sh_flags & SHF_ALLOC) != 0 && section.sh_size != 0 && !only_model)
      placed.push_back(section);
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.sh_addr < b.sh_addr; });
  return placed;
}

/// Returns the pieces of a segment. A linker may have put the file's own headers before the first
/// section, and those need no memory. So if a segment does not fit as a whole, its sections, in
/// `placed`, must.
Result<std::vector<Piece>> pieces_of(const ElfFile& file, const Elf32_Phdr& segment,
                                     std::span<const Elf32_Shdr> placed, const Device& device,
                                     const Memory& memory) {
  TT_TRY_ASSIGN(const auto bytes, file.part(segment.p_offset, segment.p_filesz, "a segment"));
  if (segment.p_filesz > segment.p_memsz) return bad_elf("a segment is longer in the file");
  if (!memory.at(segment.p_vaddr, segment.p_memsz).empty())
    return std::vector<Piece>{{segment.p_vaddr, segment.p_paddr, segment.p_memsz, bytes}};
  std::vector<Piece> pieces;
  const auto first = std::lower_bound(
      placed.begin(), placed.end(), segment.p_vaddr,
      [](const Elf32_Shdr& section, uint32_t address) { return section.sh_addr < address; });
  for (const Elf32_Shdr& section : placed.subspan(static_cast<size_t>(first - placed.begin()))) {
    const uint64_t into = uint64_t{section.sh_addr} - segment.p_vaddr;
    if (into >= segment.p_memsz) break;
    if (into + section.sh_size > segment.p_memsz) continue;
    if (memory.at(section.sh_addr, section.sh_size).empty())
      return outside(device, "section " + name_of(file, section), section.sh_addr, section.sh_size);
    const uint64_t from = std::min<uint64_t>(into, bytes.size());
    pieces.push_back(
        {section.sh_addr, static_cast<uint32_t>(segment.p_paddr + into), section.sh_size,
         bytes.subspan(from, std::min<uint64_t>(section.sh_size, bytes.size() - from))});
  }
  if (pieces.empty() && file.sections().empty())
    return outside(device, "a segment", segment.p_vaddr, segment.p_memsz);
  return pieces;
}

/// Ranks symbols at the same address: functions first, then global ones.
int rank(const Elf32_Sym& symbol) {
  const bool function = ELF32_ST_TYPE(symbol.st_info) == STT_FUNC;
  const bool global = ELF32_ST_BIND(symbol.st_info) != STB_LOCAL;
  return (function ? 2 : 0) + (global ? 1 : 0);
}

Result<std::vector<ProgramSymbol>> symbols_of(const ElfFile& file) {
  std::map<uint32_t, std::pair<int, ProgramSymbol>> by_address;
  for (const Elf32_Shdr& table : file.sections()) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= file.sections().size()) continue;
    const Elf32_Shdr& names = file.sections()[table.sh_link];
    TT_TRY_ASSIGN(const auto symbols, file.symbols(table));
    for (const Elf32_Sym& symbol : symbols) {
      const unsigned type = ELF32_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx >= file.sections().size())
        continue;
      if (symbol.st_shndx == SHN_UNDEF ||
          (file.sections()[symbol.st_shndx].sh_flags & SHF_EXECINSTR) == 0)
        continue;
      const std::string name = shown_name(file, names, symbol.st_name);
      if (name.empty() || name[0] == '$' || name.starts_with(".L")) continue;
      const uint32_t address = file.address_of(symbol);
      auto& [best, entry] = by_address[address];
      if (!entry.name.empty() && best >= rank(symbol)) continue;
      best = rank(symbol);
      entry = {name, address, symbol.st_size};
    }
    break;  // a file has one
  }
  std::vector<ProgramSymbol> all;
  for (auto& [address, ranked] : by_address) all.push_back(std::move(ranked.second));
  return all;
}

uint32_t word_at(const Memory& memory, uint32_t address) {
  uint32_t word = 0;
  const auto bytes = memory.at(address, 4);
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), 4);
  return word;
}

// Finds the vector table: at a multiple of 128, in the first 64 KiB of a loaded range.
void find_vector_table(const Memory& memory, ProgramImage& image) {
  constexpr uint32_t kStep = 128, kFar = 64 << 10;
  for (const AddressRange& range : image.filled) {
    const uint64_t end = range.address + uint64_t{std::min(range.size_bytes, kFar)};
    for (uint64_t at = (range.address + kStep - 1) & ~(kStep - 1); at + 8 <= end; at += kStep) {
      const auto table = static_cast<uint32_t>(at);
      const uint32_t stack = word_at(memory, table);
      if (word_at(memory, table + 4) != (image.entry | 1) || stack % 4 != 0 || stack == 0) continue;
      if (memory.region(stack - 4) == nullptr) continue;
      image.vector_table = table;
      image.initial_stack = stack;
      return;
    }
  }
}

}  // namespace

const ProgramSymbol* ProgramImage::find(std::string_view name) const {
  for (const ProgramSymbol& symbol : symbols)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

const ProgramSymbol* ProgramImage::at(uint32_t address) const {
  const auto after =
      std::upper_bound(symbols.begin(), symbols.end(), address,
                       [](uint32_t a, const ProgramSymbol& symbol) { return a < symbol.address; });
  return after == symbols.begin() ? nullptr : &*(after - 1);
}

std::string ProgramImage::place(uint32_t address) const {
  const ProgramSymbol* symbol = at(address);
  if (symbol == nullptr) return fmt::format("{:#010x}", address);
  const uint32_t into = address - symbol->address;
  return into == 0 ? fmt::format("{:#010x} ({})", address, symbol->name)
                   : fmt::format("{:#010x} ({}+{:#x})", address, symbol->name, into);
}

// Memories with caches count as flash, which cannot be written. The guard page between two parts of
// RAM, which separates a kernel's stack from its data, is memory on the chip, and so is added.
Status add_program_memories(const Device& device, const ProgramFacts& facts, Memory& memory) {
  std::vector<Memory::Region> regions;
  for (const MemoryRegion& from : device.memories) {
    Memory::Region region;
    region.address = from.address;
    region.size_bytes = from.size_bytes;
    region.executable =
        std::find(facts.no_fetch.begin(), facts.no_fetch.end(), from.name) == facts.no_fetch.end();
    region.writable = from.fetch_cache.empty() && from.read_cache.empty();
    regions.push_back(region);
  }
  std::sort(regions.begin(), regions.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  std::vector<Memory::Region> merged;
  for (const Memory::Region& region : regions) {
    if (!merged.empty()) {
      Memory::Region& last = merged.back();
      const uint64_t gap = region.address - (uint64_t{last.address} + last.size_bytes);
      if (last.writable == region.writable && last.executable == region.executable &&
          (gap == 0 || (gap == kPageBytes && last.writable))) {
        last.size_bytes = region.address + region.size_bytes - last.address;
        continue;
      }
    }
    merged.push_back(region);
  }
  for (const Memory::Region& region : merged) TT_TRY(memory.add(region));
  return ok_status();
}

Result<ProgramImage> load_program(std::span<const uint8_t> elf, const Device& device,
                                  Memory& memory) {
  const CoreFamily family = device.target.family;
  TT_TRY_ASSIGN(const ElfFile file, ElfFile::open(elf, family));
  ProgramImage image;
  TT_TRY_ASSIGN(image.symbols, symbols_of(file));
  std::vector<Elf32_Phdr> segments;
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  for (const Elf32_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    segments.push_back(segment);
    ranges.emplace_back(segment.p_vaddr, segment.p_memsz);
  }
  TT_TRY(check_overlaps(std::move(ranges), "segments"));
  const std::vector<Elf32_Shdr> placed = placed_sections(file);
  std::vector<Piece> pieces;
  for (const Elf32_Phdr& segment : segments) {
    TT_TRY_ASSIGN(const auto more, pieces_of(file, segment, placed, device, memory));
    pieces.insert(pieces.end(), more.begin(), more.end());
  }
  ranges.clear();
  for (const Piece& piece : pieces) ranges.emplace_back(piece.address, piece.size_bytes);
  TT_TRY(check_overlaps(std::move(ranges), "sections"));
  for (const Piece& piece : pieces) {
    image.filled.push_back({piece.address, piece.size_bytes});
    for (const uint32_t address : {piece.load_address, piece.address}) {
      const std::span<uint8_t> target = memory.at(address, piece.bytes.size());
      if (target.empty() || piece.bytes.empty()) continue;
      std::copy(piece.bytes.begin(), piece.bytes.end(), target.begin());
      if (address != piece.address)
        image.filled.push_back({address, static_cast<uint32_t>(piece.bytes.size())});
    }
  }
  image.entry = file.header().e_entry & ~1u;
  const bool entered = std::any_of(
      image.filled.begin(), image.filled.end(),
      [&](const auto& range) { return image.entry - range.address < range.size_bytes; });
  if (!entered)
    return bad_elf(fmt::format("nothing is loaded at its entry {:#010x}", file.header().e_entry));
  if (family == CoreFamily::kArmM) find_vector_table(memory, image);
  return image;
}

}  // namespace tinytune
