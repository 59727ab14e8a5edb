#include "simulator/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <string>

namespace tinytune {
namespace {

Error bad(const std::string& what) { return Error(ErrorCode::kInvalidInput, "ELF: " + what); }

/// A copy of the T at `offset`; the file may be unaligned and short.
template <typename T>
Result<T> read_at(std::span<const uint8_t> elf, uint64_t offset, const char* what) {
  if (offset > elf.size() || elf.size() - offset < sizeof(T)) {
    return bad(std::string(what) + " lies outside the file");
  }
  T value;
  std::memcpy(&value, elf.data() + offset, sizeof(T));
  return value;
}

Result<Elf32_Ehdr> read_header(std::span<const uint8_t> elf, CoreFamily family) {
  TT_TRY_ASSIGN(const Elf32_Ehdr header, read_at<Elf32_Ehdr>(elf, 0, "the header"));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return bad("wrong magic number");
  if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return bad("not 32-bit little-endian");
  }
  if (header.e_type != ET_EXEC) return bad("not a linked executable");
  const unsigned machine = family == CoreFamily::kRiscv32 ? EM_RISCV : EM_ARM;
  if (header.e_machine != machine) {
    return bad(fmt::format("machine {} where {} is expected", header.e_machine, machine));
  }
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf32_Phdr)) {
    return bad("wrong size of a program header");
  }
  if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf32_Shdr)) {
    return bad("wrong size of a section header");
  }
  return header;
}

Status read_symbols(std::span<const uint8_t> elf, const Elf32_Ehdr& header, CoreFamily family,
                    ElfInfo& info) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    TT_TRY_ASSIGN(const Elf32_Shdr table,
                  read_at<Elf32_Shdr>(elf, uint64_t{header.e_shoff} + i * sizeof(Elf32_Shdr),
                                      "a section header"));
    if (table.sh_type != SHT_SYMTAB) continue;
    TT_TRY_ASSIGN(
        const Elf32_Shdr names,
        read_at<Elf32_Shdr>(elf, uint64_t{header.e_shoff} + table.sh_link * sizeof(Elf32_Shdr),
                            "the symbols' string table"));
    if (uint64_t{names.sh_offset} + names.sh_size > elf.size()) return bad("truncated names");
    const char* const text = reinterpret_cast<const char*>(elf.data()) + names.sh_offset;
    for (uint32_t k = 0; k < table.sh_size / sizeof(Elf32_Sym); ++k) {
      TT_TRY_ASSIGN(
          const Elf32_Sym symbol,
          read_at<Elf32_Sym>(elf, uint64_t{table.sh_offset} + k * sizeof(Elf32_Sym), "a symbol"));
      const unsigned type = ELF32_ST_TYPE(symbol.st_info);
      // Hand-written assembly may leave its global labels untyped.
      const bool wanted = type == STT_FUNC || type == STT_OBJECT ||
                          (type == STT_NOTYPE && ELF32_ST_BIND(symbol.st_info) == STB_GLOBAL);
      if (!wanted || symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= names.sh_size) return bad("a symbol's name lies outside its table");
      const size_t room = names.sh_size - symbol.st_name;
      const std::string name(text + symbol.st_name, strnlen(text + symbol.st_name, room));
      // Bit 0 of an Arm function says Thumb; it is no part of the address.
      const bool thumb = family == CoreFamily::kArmM && type == STT_FUNC;
      info.symbols[name] = {thumb ? symbol.st_value & ~1u : symbol.st_value, symbol.st_size};
    }
  }
  return ok_status();
}

}  // namespace

Result<ElfInfo> load_elf(std::span<const uint8_t> elf, CoreFamily family, Memory& memory) {
  TT_TRY_ASSIGN(const Elf32_Ehdr header, read_header(elf, family));
  ElfInfo info;
  TT_TRY(read_symbols(elf, header, family, info));
  std::vector<Elf32_Phdr> segments;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    TT_TRY_ASSIGN(const Elf32_Phdr segment,
                  read_at<Elf32_Phdr>(elf, uint64_t{header.e_phoff} + i * sizeof(Elf32_Phdr),
                                      "a program header"));
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (segment.p_filesz > segment.p_memsz ||
        uint64_t{segment.p_offset} + segment.p_filesz > elf.size()) {
      return bad("truncated segment");
    }
    if (memory.at(segment.p_vaddr, segment.p_memsz).empty()) {
      return bad(fmt::format("segment of {} bytes at {:#010x} lies outside the device's memories",
                             segment.p_memsz, segment.p_vaddr));
    }
    segments.push_back(segment);
  }
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
