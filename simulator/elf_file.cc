#include "simulator/elf_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {

Error bad_elf(const std::string& what) { return Error(ErrorCode::kInvalidInput, "ELF: " + what); }

Result<ElfFile> ElfFile::open(std::span<const uint8_t> bytes, CoreFamily family) {
  ElfFile file;
  file.bytes_ = bytes;
  TT_TRY_ASSIGN(const auto headers, file.table<Elf32_Ehdr>(0, 1, "the header"));
  const Elf32_Ehdr& header = file.header_ = headers.front();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return bad_elf("wrong magic number");
  if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return bad_elf("not 32-bit little-endian");
  if (header.e_type != ET_EXEC) return bad_elf("not a linked executable");
  const unsigned machine = family == CoreFamily::kRiscv32 ? EM_RISCV : EM_ARM;
  if (header.e_machine != machine)
    return bad_elf(fmt::format("machine {} where {} is expected", header.e_machine, machine));
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf32_Phdr))
    return bad_elf("wrong size of a program header");
  if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf32_Shdr))
    return bad_elf("wrong size of a section header");
  TT_TRY_ASSIGN(file.segments_,
                file.table<Elf32_Phdr>(header.e_phoff, header.e_phnum, "a program header"));
  TT_TRY_ASSIGN(file.sections_,
                file.table<Elf32_Shdr>(header.e_shoff, header.e_shnum, "a section header"));
  return file;
}

Result<std::span<const uint8_t>> ElfFile::part(uint64_t offset, uint64_t size,
                                               const char* what) const {
  if (size > bytes_.size() || offset > bytes_.size() - size)
    return bad_elf(std::string(what) + " lies outside the file");
  return bytes_.subspan(offset, size);
}

Result<std::vector<Elf32_Sym>> ElfFile::symbols(const Elf32_Shdr& table) const {
  return this->table<Elf32_Sym>(table.sh_offset, table.sh_size / sizeof(Elf32_Sym),
                                "the symbol table");
}

uint32_t ElfFile::address_of(const Elf32_Sym& symbol) const {
  const bool thumb = header_.e_machine == EM_ARM && ELF32_ST_TYPE(symbol.st_info) == STT_FUNC;
  return thumb ? symbol.st_value & ~1u : symbol.st_value;
}

std::string elf_name(std::span<const uint8_t> names, uint32_t offset, size_t most) {
  if (offset >= names.size()) return "";
  const char* const begin = reinterpret_cast<const char*>(names.data()) + offset;
  return {begin, strnlen(begin, std::min(names.size() - offset, most))};
}

}  // namespace tinytune
