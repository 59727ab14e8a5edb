// A firmware around a package, linked as a board's template would: clang and lld, a linker script
// with the memories of that template, an application of 8 KiB, 2 KiB of stack and heap.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace tinytune::test {

/// What the stock linker script of a board has.
struct FirmwareBoard {
  std::string device;
  std::string
      memories;         ///< lines of MEMORY: FLASH, RAM, and FAST where code runs in one of its own
  std::string code_in;  ///< the memory for fast code, "FAST" or "RAM"
  /// Bytes of RAM that the same SRAM shows on another bus as FAST: no data may lie there.
  bool code_shadows_data = false;
  std::string more_sections = "";  ///< of the template, before its .text
};

inline std::ostream& operator<<(std::ostream& out, const FirmwareBoard& b) {
  return out << b.device;
}

/// Sums of section sizes.
struct FirmwareSizes {
  uint64_t ram = 0;    ///< .data, .bss and code that runs in RAM; not the 2 KiB of stack and heap
  uint64_t flash = 0;  ///< .text and constants, and what is copied to RAM
};

/// Of the LLVM in use, as clang_program().
std::string lld_program();

/// Compiles and links it in `folder`; `package` empty: the application alone. Nothing where it does
/// not fit the memories, with the linker's words in `why`. Any other failure fails the test.
std::optional<FirmwareSizes> link_firmware(const FirmwareBoard& board, const std::string& package,
                                           const std::string& name, const std::string& folder,
                                           std::string& why);

}  // namespace tinytune::test
