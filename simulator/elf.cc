#include "simulator/elf.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "simulator/elf_file.h"

namespace tinytune {
namespace {

constexpr size_t kLongestName = 1024;

Status read_symbols(const ElfFile& file, ElfInfo& info) {
  for (const Elf32_Shdr& table : file.sections()) {
    if (table.sh_type != SHT_SYMTAB) continue;
    if (table.sh_link >= file.sections().size())
      return bad_elf("the symbols' string table lies outside the file");
    const Elf32_Shdr& text = file.sections()[table.sh_link];
    const auto part = file.part(text.sh_offset, text.sh_size, "names");
    if (!part) return bad_elf("truncated names");
    const std::span<const uint8_t> names = *part;
    TT_TRY_ASSIGN(const auto symbols, file.symbols(table));
    for (const Elf32_Sym& symbol : symbols) {
      const unsigned type = ELF32_ST_TYPE(symbol.st_info);
      // Hand-written assembly may leave its global labels untyped.
      const bool wanted = type == STT_FUNC || type == STT_OBJECT ||
                          (type == STT_NOTYPE && ELF32_ST_BIND(symbol.st_info) == STB_GLOBAL);
      if (!wanted || symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= names.size()) return bad_elf("a symbol's name lies outside its table");
      info.symbols[elf_name(names, symbol.st_name, kLongestName)] = {file.address_of(symbol),
                                                                     symbol.st_size};
    }
    break;  // a file has one
  }
  return ok_status();
}

}  // namespace

Result<ElfInfo> load_elf(std::span<const uint8_t> elf, CoreFamily family, Memory& memory) {
  TT_TRY_ASSIGN(const ElfFile file, ElfFile::open(elf, family));
  ElfInfo info;
  TT_TRY(read_symbols(file, info));
  std::vector<Elf32_Phdr> segments;
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  for (const Elf32_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (segment.p_filesz > segment.p_memsz ||
        !file.part(segment.p_offset, segment.p_filesz, "a segment"))
      return bad_elf("truncated segment");
    if (memory.at(segment.p_vaddr, segment.p_memsz).empty()) {
      return bad_elf(
          fmt::format("segment of {} bytes at {:#010x} lies outside the device's memories",
                      segment.p_memsz, segment.p_vaddr));
    }
    segments.push_back(segment);
    ranges.emplace_back(segment.p_vaddr, segment.p_memsz);
  }
  TT_TRY(check_overlaps(std::move(ranges), "segments"));
  for (const Elf32_Phdr& segment : segments) {
    const std::span<uint8_t> target = memory.at(segment.p_vaddr, segment.p_memsz);
    info.segments.push_back({segment.p_vaddr, segment.p_memsz});
    std::memcpy(target.data(), elf.data() + segment.p_offset, segment.p_filesz);
    std::memset(target.data() + segment.p_filesz, 0, segment.p_memsz - segment.p_filesz);
    if ((segment.p_flags & PF_W) == 0) {
      info.code_bytes += segment.p_filesz;
    } else {
      info.data_bytes += segment.p_filesz;
      info.bss_bytes += segment.p_memsz - segment.p_filesz;
    }
  }
  return info;
}

}  // namespace tinytune
