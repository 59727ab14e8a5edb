// The control and status registers of a RISC-V core that whole programs use: counters as the device
// file lists them, trap registers that keep the value written, identification.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "devices/device.h"
#include "devices/program_facts.h"
#include "simulator/simulator.h"

namespace tinytune {

class CsrFile {
 public:
  CsrFile(const Target& target, const ProgramFacts& facts);

  static constexpr uint32_t kMstatus = 0x300, kMtvec = 0x305, kMepc = 0x341, kMcause = 0x342;

  /// Reads a register; nothing if the core is not known to have it. `now`: counts before the
  /// instruction that reads.
  std::optional<uint32_t> read(uint32_t csr, const Counts& now);
  /// Writes a register; false if the core is not known to have it. `now`: counts before the
  /// instruction that writes. A write takes effect with the next instruction: a written counter
  /// has its value there, and a released one begins to count with it.
  bool write(uint32_t csr, uint32_t value, const Counts& now);
  /// Returns the address of the trap handler; 0: the program has not set it.
  uint32_t vector() const {
    const auto found = plain_.find(kMtvec);
    return found == plain_.end() ? 0 : found->second & ~3u;
  }
  /// Returns a register for a trap to read and change.
  uint32_t& at(uint32_t csr) { return plain_[csr]; }

 private:
  struct Counter {
    const CoreCounter* of = nullptr;
    uint64_t offset = 0;  ///< added to the counts; the whole value while stopped
    bool stopped = false;
  };
  struct Found {
    Counter* counter = nullptr;
    bool high = false;
  };
  Found find(uint32_t csr);
  static uint64_t value(const Counter& counter, const Counts& now);
  bool is_plain(uint32_t csr) const;
  void inhibit(uint32_t csr, uint32_t bits, const Counts& now);

  std::vector<CoreCounter> known_;
  std::vector<Counter> counters_;
  std::map<uint32_t, uint32_t> plain_;
  std::map<uint32_t, uint32_t> writable_;  ///< writable bits; no entry: all
};

}  // namespace tinytune
