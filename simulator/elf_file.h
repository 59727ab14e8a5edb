// A linked ELF executable with checked header and tables. Files come over the network and from
// strangers: all data returned here is inside the file, whatever its offsets say.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns kInvalidInput, "ELF: …".
Error bad_elf(const std::string& what);

class ElfFile {
 public:
  /// `bytes` outlive it. kInvalidInput: not a 32-bit little-endian executable for `family`, or a
  /// table of headers outside the file. kAnyC accepts any machine, also of 64 bits if all addresses
  /// are below 4 GiB.
  static Result<ElfFile> open(std::span<const uint8_t> bytes, CoreFamily family);

  const Elf32_Ehdr& header() const { return header_; }
  const std::vector<Elf32_Phdr>& segments() const { return segments_; }
  const std::vector<Elf32_Shdr>& sections() const { return sections_; }

  /// Returns bytes of the file. kInvalidInput: "WHAT lies outside the file".
  Result<std::span<const uint8_t>> part(uint64_t offset, uint64_t size, const char* what) const;

  /// Copies, because a file may be unaligned. kInvalidInput as part().
  template <typename T>
  Result<std::vector<T>> table(uint64_t offset, uint64_t count, const char* what) const {
    TT_TRY_ASSIGN(const auto bytes, part(offset, count * sizeof(T), what));
    std::vector<T> all(count);
    if (count > 0) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  Result<std::vector<Elf32_Sym>> symbols(const Elf32_Shdr& table) const;

  /// Returns a symbol's address, without the Thumb bit of Arm functions.
  uint32_t address_of(const Elf32_Sym& symbol) const;

 private:
  Status open_wide();

  std::span<const uint8_t> bytes_;
  bool wide_ = false;
  Elf32_Ehdr header_{};
  std::vector<Elf32_Phdr> segments_;
  std::vector<Elf32_Shdr> sections_;
};

/// kInvalidInput: two of `ranges` overlap.
Status check_overlaps(std::vector<std::pair<uint32_t, uint32_t>> ranges, const char* what);

/// Returns the name at `offset` of a string table, up to its zero, the table's end or `most` bytes;
/// empty if `offset` is outside the table.
std::string elf_name(std::span<const uint8_t> names, uint32_t offset, size_t most);

}  // namespace tinytune
