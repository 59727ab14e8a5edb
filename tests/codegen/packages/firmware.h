// A firmware around a package, linked like a board's template: clang and lld, a linker script with
// the memories of that template, an application of 8 KiB, 2 KiB of stack and heap.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace tinytune::test {

/// Contents of a board's stock linker script.
struct FirmwareBoard {
  std::string device;
  std::string
      memories;         ///< lines of MEMORY: FLASH, RAM, and FAST where code runs in one of its own
  std::string code_in;  ///< the memory for fast code, "FAST" or "RAM"
  /// Whether FAST is the SRAM of RAM on another bus: no data may lie in the bytes of fast code.
  bool code_shadows_data = false;
  std::string more_sections = "";  ///< of the template, before its .text
};

inline std::ostream& operator<<(std::ostream& out, const FirmwareBoard& b) {
  return out << b.device;
}

/// Sums of section sizes.
struct FirmwareSizes {
  uint64_t ram = 0;    ///< .data, .bss and code that runs in RAM; not the 2 KiB of stack and heap
  uint64_t flash = 0;  ///< .text, constants, and sections copied to RAM
};

/// Returns lld of the LLVM in use, like clang_program().
std::string lld_program();

/// Compiles and links the firmware in `folder`; `package` empty: the application alone. Nothing if
/// it does not fit the memories, with the linker's message in `why`. Other failures fail the test.
std::optional<FirmwareSizes> link_firmware(const FirmwareBoard& board, const std::string& package,
                                           const std::string& name, const std::string& folder,
                                           std::string& why);

}  // namespace tinytune::test
