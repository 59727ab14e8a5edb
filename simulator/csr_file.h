// The control and status registers of a RISC-V core, as far as whole programs meet them: counters
// as the device file lists them, trap registers that hold what was written, identification.
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

  /// `now`: what has been counted when the instruction issues. Nothing for a register that the core
  /// is not known to have.
  std::optional<uint32_t> read(uint32_t csr, const Counts& now);
  /// The same `now`. A write takes effect with the next instruction: a counter that is written
  /// holds that value there, and one that is let run begins to count with it.
  bool write(uint32_t csr, uint32_t value, const Counts& now);
  /// Where traps go; 0 as long as the program has not said it.
  uint32_t vector() const {
    const auto found = plain_.find(kMtvec);
    return found == plain_.end() ? 0 : found->second & ~3u;
  }
  /// The register as a trap finds and changes it.
  uint32_t& at(uint32_t csr) { return plain_[csr]; }

 private:
  struct Counter {
    const CoreCounter* of = nullptr;
    uint64_t offset = 0;  ///< added to what was counted; what it holds while stopped
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
  std::map<uint32_t, uint32_t> writable_;  ///< bits; all where it has no entry
};

}  // namespace tinytune
