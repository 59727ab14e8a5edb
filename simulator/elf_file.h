// A linked ELF executable, its header and tables checked. Files come over the network and from
// strangers: what is handed out here lies inside the file, whatever its offsets say.
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

/// kInvalidInput, "ELF: …".
Error bad_elf(const std::string& what);

class ElfFile {
 public:
  /// `bytes` outlive it. kInvalidInput: not a 32-bit little-endian executable for `family`, or a
  /// table of headers lies outside the file. kAnyC takes any machine's, a 64-bit one's as well if
  /// all of it lies below 4 GiB.
  static Result<ElfFile> open(std::span<const uint8_t> bytes, CoreFamily family);

  const Elf32_Ehdr& header() const { return header_; }
  const std::vector<Elf32_Phdr>& segments() const { return segments_; }
  const std::vector<Elf32_Shdr>& sections() const { return sections_; }

  /// Bytes of the file. kInvalidInput: "WHAT lies outside the file".
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

  /// Where a symbol stands: bit 0 of an Arm function says Thumb, and is no part of the address.
  uint32_t address_of(const Elf32_Sym& symbol) const;

 private:
  Status open_wide();

  std::span<const uint8_t> bytes_;
  bool wide_ = false;
  Elf32_Ehdr header_{};
  std::vector<Elf32_Phdr> segments_;
  std::vector<Elf32_Shdr> sections_;
};

/// kInvalidInput if any two of `ranges`, which it sorts, share a byte.
Status check_overlaps(std::vector<std::pair<uint32_t, uint32_t>> ranges, const char* what);

/// The text at `offset` of a table of names, up to its zero, the table's end or `most` bytes; empty
/// beyond the table.
std::string elf_name(std::span<const uint8_t> names, uint32_t offset, size_t most);

}  // namespace tinytune
