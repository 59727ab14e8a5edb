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
  CsrFile(const Target& target, const std::vector<CoreCounter>& counters);

  static constexpr uint32_t kMtvec = 0x305, kMepc = 0x341, kMcause = 0x342;

  /// `now`: what has been counted when the instruction issues. Nothing for a register that the core
  /// is not known to have.
  std::optional<uint32_t> read(uint32_t csr, const Counts& now);
  bool write(uint32_t csr, uint32_t value, const Counts& now);

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

  std::vector<CoreCounter> known_;
  std::vector<Counter> counters_;
  std::map<uint32_t, uint32_t> plain_;
};

}  // namespace tinytune
