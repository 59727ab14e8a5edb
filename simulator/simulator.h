// An instruction-set simulator with a cycle model: Unicorn executes, the timing model counts.
//
// Instruction and cycle counts are exact and repeatable: the same ELF gives the same numbers on
// every machine. One Simulator is one device with its memory; load, write, call, read. Not
// thread-safe; make one per thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/arrival_way.h"
#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

struct SymbolRange {
  uint32_t address = 0, size = 0;
};

struct AddressRange {
  uint32_t address = 0, size_bytes = 0;
};

/// Bytes that the core took from a range of addresses and put there.
struct Traffic {
  uint64_t loaded_bytes = 0, stored_bytes = 0;
};

/// Multiplications, by the buffers that the values of either factor were computed from: a bit for
/// each of CallOptions::counted, the smaller set first.
using FactorCounts = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

/// Of the same multiplications: bytes loaded from those buffers for factors of the smaller set and
/// for those of the other, each once for all products that it serves.
using FactorLoads = std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>>;

struct ElfInfo {
  std::map<std::string, SymbolRange> symbols;  ///< functions and objects
  uint32_t code_bytes = 0;                     ///< executable and read-only segments
  uint32_t data_bytes = 0, bss_bytes = 0;
  std::vector<AddressRange> segments;
};

enum class CallEnd {
  kReturned,
  kInstructionLimit,
  kFault,               ///< access to memory that is not mapped or not allowed
  kIllegalInstruction,  ///< not in the device's instruction set, or undefined
  kMisaligned,          ///< only with check_alignment
};

/// Counted per call; what no device counts is still exact here.
struct Counts {
  uint64_t instructions = 0, cycles = 0;
  uint64_t loads = 0, stores = 0, multiplies = 0;  ///< instructions, not bytes or registers
  uint64_t branches_taken = 0;                     ///< conditional ones
  /// Of `cycles`: those spent waiting for code and for data in slow memories (memory_timing.h).
  uint64_t fetch_wait_cycles = 0, read_wait_cycles = 0;

  Counts& operator+=(const Counts& other);
  Counts& operator-=(const Counts& other);
};

/// Sections that would run at the same time on two cores, and run one after the other here:
/// indices of CallOptions::sections.
struct CorePair {
  size_t first = 0, second = 0;
};

struct CallOptions {
  uint64_t instruction_limit = 2'000'000'000;
  bool check_alignment = false;  ///< hooks every access: slow, for verify runs
  /// As if every memory answered at once: the core alone. Implied by check_alignment.
  bool zero_wait = false;
  /// The unit that brings weights out of flash beside the core is there (arrival.h); slow.
  std::optional<ArrivalWay> arrival = {};
  /// Mapped bytes that must not be touched, finer than pages; seen only with check_alignment.
  std::vector<AddressRange> off_limits;
  /// Buffers, apart from each other and at most 32, whose traffic is counted, and from which values
  /// are followed into multiplications; only with check_alignment.
  std::vector<AddressRange> counted;
  /// Instructions executed from entering such a function until it returns are counted apart,
  /// callees included. Addresses of function entries; they must not nest.
  std::vector<uint32_t> sections;
  std::vector<CorePair> pairs = {};  ///< of sections; slow. Not with check_alignment or zero_wait
};

/// A pair, run once: core_overlap.h says what it is taken to take.
struct JoinedVisit {
  size_t pair = 0;  ///< which of CallOptions::pairs
  uint64_t cycles = 0, collision_cycles = 0;
};

/// A section, entered and left once.
struct SectionVisit {
  size_t section = 0;  ///< which of CallOptions::sections
  Counts counts;
};

struct CallReport {
  CallEnd end = CallEnd::kReturned;
  /// "write of 1 byte at 0x3fc84000 from pc 0x40380010"; empty if returned. Without
  /// check_alignment, the address of the basic block and not of the instruction.
  std::string detail;
  Counts counts;                     ///< of whole basic blocks: the one that faulted is left out
  std::vector<Counts> sections;      ///< as CallOptions::sections, the sums of their visits
  std::vector<SectionVisit> visits;  ///< in the order of their entries
  std::vector<JoinedVisit> joined;   ///< in the order of their ends
  std::string race;                  ///< what both of a pair touch though one writes; or empty
  std::vector<Traffic> traffic;      ///< as CallOptions::counted, by where accesses begin
  FactorCounts factors;              ///< but for RISC-V's vector instructions
  FactorLoads factor_loads;          ///< the same
  uint32_t return_value = 0;
  uint32_t stack_bytes = 0;        ///< deepest use seen (painted)
  bool registers_restored = true;  ///< callee-saved registers and the stack pointer
  std::string clobbered;           ///< names of those that were not
};

class Simulator {
 public:
  /// kInvalidInput: a timing table the model does not know; kUnsupported: a core it lacks.
  static Result<Simulator> create(const Device& device);
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  /// Maps extra memory (rounded out to 4 KiB pages), e.g. for guarded buffers. kInvalidInput:
  /// overlaps what is mapped. It stays until unmap_extra().
  Status map(uint32_t address, uint32_t size_bytes, bool writable);

  /// Removes everything that map() added.
  void unmap_extra();

  /// Clears all memory and loads the segments; anything executed before is forgotten, so that a
  /// program cannot see what ran before it. About 0.3 ms. kInvalidInput: not an executable for this
  /// device, damaged, or outside its memories.
  Result<ElfInfo> load(std::span<const uint8_t> elf);

  /// kInvalidInput: outside mapped memory.
  Status write(uint32_t address, std::span<const uint8_t> bytes);
  Result<std::vector<uint8_t>> read(uint32_t address, size_t size_bytes) const;

  /// Calls a function by the device's C calling convention with word arguments, on a fresh stack
  /// at the end of the device's stack memory.
  /// A fault is a report, not an error. kFailed: the emulator itself misbehaved.
  Result<CallReport> call(uint32_t function, std::span<const uint32_t> arguments,
                          const CallOptions& options = {});

 private:
  struct State;
  explicit Simulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
