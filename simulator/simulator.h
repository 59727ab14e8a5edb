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

/// Bytes that the core loaded from and stored to a range of addresses.
struct Traffic {
  uint64_t loaded_bytes = 0, stored_bytes = 0;
};

/// Number of multiplications by the sources of their two factors: the sets of buffers that a
/// factor's value was computed from, a bit for each of CallOptions::counted, the smaller set first.
using FactorCounts = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

/// Bytes loaded from these buffers for the factors with the first and with the second set of
/// sources; a loaded value counts once, however many products it serves.
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

/// Counts of a call, exact even where no device counts them.
struct Counts {
  uint64_t instructions = 0, cycles = 0;
  uint64_t loads = 0, stores = 0, multiplies = 0;  ///< instructions, not bytes or registers
  uint64_t branches_taken = 0;                     ///< conditional ones
  /// The part of `cycles` spent waiting for code and for data in slow memories (memory_timing.h).
  uint64_t fetch_wait_cycles = 0, read_wait_cycles = 0;

  Counts& operator+=(const Counts& other);
  Counts& operator-=(const Counts& other);
};

/// Two sections that two cores would run at the same time, and that run one after the other here:
/// indices of CallOptions::sections.
struct CorePair {
  size_t first = 0, second = 0;
};

struct CallOptions {
  uint64_t instruction_limit = 2'000'000'000;
  bool check_alignment = false;  ///< hooks every access: slow, for verify runs
  /// Counts no waits for memories, only the core. Implied by check_alignment.
  bool zero_wait = false;
  /// Simulates the unit that copies weights out of flash beside the core (arrival.h); slow.
  std::optional<ArrivalWay> arrival = {};
  /// Mapped bytes that must not be accessed, finer than pages; checked only with check_alignment.
  std::vector<AddressRange> off_limits;
  /// Disjoint buffers, at most 32, whose traffic is counted, and whose values are tracked into
  /// multiplications; only with check_alignment.
  std::vector<AddressRange> counted;
  /// Entry addresses of functions that are counted separately, from entry to return, callees
  /// included. They must not nest.
  std::vector<uint32_t> sections;
  std::vector<CorePair> pairs = {};  ///< of sections; slow. Not with check_alignment or zero_wait
};

/// One run of a pair of sections; core_overlap.h explains its cycles.
struct JoinedVisit {
  size_t pair = 0;  ///< which of CallOptions::pairs
  uint64_t cycles = 0, collision_cycles = 0;
};

/// One run of a section.
struct SectionVisit {
  size_t section = 0;  ///< which of CallOptions::sections
  Counts counts;
};

struct CallReport {
  CallEnd end = CallEnd::kReturned;
  /// "write of 1 byte at 0x3fc84000 from pc 0x40380010"; empty if returned. Without
  /// check_alignment, the address of the basic block and not of the instruction.
  std::string detail;
  Counts counts;                     ///< of whole basic blocks, without the one that faulted
  std::vector<Counts> sections;      ///< as CallOptions::sections, the sums of their visits
  std::vector<SectionVisit> visits;  ///< in the order of their entries
  std::vector<JoinedVisit> joined;   ///< in the order of their ends
  std::string race;                  ///< a conflicting access of the two of a pair; or empty
  std::vector<Traffic> traffic;      ///< as CallOptions::counted, by an access's first byte
  FactorCounts factors;              ///< by buffers of CallOptions::counted
  FactorLoads factor_loads;          ///< the same
  uint32_t return_value = 0;
  uint32_t stack_bytes = 0;        ///< deepest use seen (painted)
  bool registers_restored = true;  ///< callee-saved registers and the stack pointer
  std::string clobbered;           ///< names of those that were not
};

class Simulator {
 public:
  /// kInvalidInput: an invalid timing table; kUnsupported: a core that is not simulated.
  static Result<Simulator> create(const Device& device);
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  /// Maps extra memory (rounded out to 4 KiB pages), e.g. for guarded buffers. kInvalidInput:
  /// overlaps what is mapped. It stays until unmap_extra().
  Status map(uint32_t address, uint32_t size_bytes, bool writable);

  /// Removes everything that map() added.
  void unmap_extra();

  /// Clears all memory and state and loads the segments, so that a program cannot see what ran
  /// before it. About 0.3 ms. kInvalidInput: not an executable for this device, damaged, or outside
  /// its memories.
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
