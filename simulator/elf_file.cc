#include "simulator/elf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tinytune {

Error bad_elf(const std::string& what) { return Error(ErrorCode::kInvalidInput, "ELF: " + what); }

namespace {

/// Converts numbers of a 64-bit file to 32 bits, and records whether all of them fit.
class Narrowing {
 public:
  uint32_t operator()(uint64_t value) {
    fits_ = fits_ && value <= std::numeric_limits<uint32_t>::max();
    return static_cast<uint32_t>(value);
  }
  bool fits() const { return fits_; }

 private:
  bool fits_ = true;
};

}  // namespace

// All code that runs is below 4 GiB, so a 64-bit file is converted to the equivalent 32-bit file. A
// number that does not fit is an error, like an address outside the device.
Status ElfFile::open_wide() {
  TT_TRY_ASSIGN(const auto headers, table<Elf64_Ehdr>(0, 1, "the header"));
  const Elf64_Ehdr& wide = headers.front();
  Narrowing narrow;
  header_.e_type = wide.e_type;
  header_.e_machine = wide.e_machine;
  header_.e_entry = narrow(wide.e_entry);
  header_.e_phnum = wide.e_phnum;
  header_.e_shnum = wide.e_shnum;
  header_.e_shstrndx = wide.e_shstrndx;
  header_.e_phentsize = header_.e_shentsize = 0;
  if (wide.e_type != ET_EXEC) return bad_elf("not a linked executable");
  TT_TRY_ASSIGN(const auto segments,
                table<Elf64_Phdr>(wide.e_phoff, wide.e_phnum, "a program header"));
  TT_TRY_ASSIGN(const auto sections,
                table<Elf64_Shdr>(wide.e_shoff, wide.e_shnum, "a section header"));
  for (const Elf64_Phdr& s : segments) {
    if (s.p_type != PT_LOAD) continue;
    segments_.push_back({s.p_type, narrow(s.p_offset), narrow(s.p_vaddr), narrow(s.p_paddr),
                         narrow(s.p_filesz), narrow(s.p_memsz), s.p_flags, narrow(s.p_align)});
  }
  for (const Elf64_Shdr& s : sections)
    sections_.push_back({s.sh_name, s.sh_type, narrow(s.sh_flags), narrow(s.sh_addr),
                         narrow(s.sh_offset), narrow(s.sh_size), s.sh_link, s.sh_info,
                         narrow(s.sh_addralign), narrow(s.sh_entsize)});
  return narrow.fits() ? ok_status() : Status(bad_elf("an address beyond 32 bits"));
}

Result<ElfFile> ElfFile::open(std::span<const uint8_t> bytes, CoreFamily family) {
  ElfFile file;
  file.bytes_ = bytes;
  TT_TRY_ASSIGN(const auto headers, file.table<Elf32_Ehdr>(0, 1, "the header"));
  const Elf32_Ehdr& header = file.header_ = headers.front();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return bad_elf("wrong magic number");
  const bool any_machine = family == CoreFamily::kAnyC;
  file.wide_ = any_machine && header.e_ident[EI_CLASS] == ELFCLASS64;
  if (file.wide_ && header.e_ident[EI_DATA] == ELFDATA2LSB) {
    TT_TRY(file.open_wide());
    return file;
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return bad_elf("not 32-bit little-endian");
  if (header.e_type != ET_EXEC) return bad_elf("not a linked executable");
  const unsigned machine = family == CoreFamily::kRiscv32 ? EM_RISCV : EM_ARM;
  if (!any_machine && header.e_machine != machine)
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
  if (wide_) {
    TT_TRY_ASSIGN(const auto wide,
                  this->table<Elf64_Sym>(table.sh_offset, table.sh_size / sizeof(Elf64_Sym),
                                         "the symbol table"));
    std::vector<Elf32_Sym> symbols;
    Narrowing narrow;
    for (const Elf64_Sym& s : wide)
      symbols.push_back(
          {s.st_name, narrow(s.st_value), narrow(s.st_size), s.st_info, s.st_other, s.st_shndx});
    if (!narrow.fits()) return bad_elf("a symbol beyond 32 bits");
    return symbols;
  }
  return this->table<Elf32_Sym>(table.sh_offset, table.sh_size / sizeof(Elf32_Sym),
                                "the symbol table");
}

uint32_t ElfFile::address_of(const Elf32_Sym& symbol) const {
  const bool thumb = header_.e_machine == EM_ARM && ELF32_ST_TYPE(symbol.st_info) == STT_FUNC;
  return thumb ? symbol.st_value & ~1u : symbol.st_value;
}

Status check_overlaps(std::vector<std::pair<uint32_t, uint32_t>> ranges, const char* what) {
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    const auto& [before, size_bytes] = ranges[i - 1];
    if (uint64_t{before} + size_bytes > ranges[i].first)
      return bad_elf(
          fmt::format("{} at {:#010x} and at {:#010x} overlap", what, before, ranges[i].first));
  }
  return ok_status();
}

std::string elf_name(std::span<const uint8_t> names, uint32_t offset, size_t most) {
  if (offset >= names.size()) return "";
  const char* const begin = reinterpret_cast<const char*>(names.data()) + offset;
  return {begin, strnlen(begin, std::min(names.size() - offset, most))};
}

}  // namespace tinytune
