// A device as its data file describes it: instruction set, memories and cycles of instructions.
//
// A board is a TOML file under devices/ (or anywhere, by path); no code names a board. The files
// of known devices are compiled into the program, so they are found from any directory. Every
// timing number in them cites its source, or says "unsourced".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// kAnyC: a core of which only a C compiler is known; its device file names that.
enum class CoreFamily { kRiscv32, kArmM, kAnyC };

/// Optional features of a core that some code depends on. Code tests for these and never for the
/// name of a core, so that a new core needs only a list of them in its file.
enum class Capability {
  kDsp,       ///< "dsp": Arm's DSP extension (SMLAD, SXTB16, SADD16, ...)
  kMulHigh,   ///< "mul_high": the high word of a 64-bit product without a call (RV32M, Armv7-M)
  kDivide,    ///< "divide": division in hardware
  kPrefetch,  ///< "prefetch": PLD starts to fill a line of the cache, and the core goes on
  kMve,       ///< "mve": Arm's Helium, vectors of integers, and low-overhead loops
};

/// Returns the spelling of device files.
std::string_view name_of(Capability capability);

/// The core and the compiler settings for it.
struct Target {
  CoreFamily family = CoreFamily::kRiscv32;
  std::string isa;           ///< as people write it: "rv32imc", "armv7e-m"
  std::string triple;        ///< LLVM target triple
  std::string cpu;           ///< LLVM CPU name
  std::string features;      ///< LLVM feature list, also what the simulator accepts: "+m,+c"
  std::string abi;           ///< "ilp32"; empty where the triple decides
  uint32_t vector_bits = 0;  ///< VLEN in bits; 0: the architecture fixes it, or no vectors
  std::set<Capability> capabilities;
  /// kAnyC: the core's C compiler, a GCC or clang on the PATH, and its machine flags
  /// ("-mabi=call0"). The LLVM fields then describe a generic 32-bit machine, for which kernels
  /// are optimised before they are printed as C.
  std::string compiler;
  std::vector<std::string> compiler_flags;
  /// Emits kernels as C11 that depends on no core (codegen/kernels/portable_c.h), not as assembly.
  bool portable_kernels = false;

  bool can(Capability capability) const { return capabilities.contains(capability); }
};

/// Returns the target's arguments for the compiler's command line. Clang's are derived from the
/// target: a device file with free choice of arguments could load a plug-in.
std::vector<std::string> clang_arguments(const Target& target);

/// Returns whether most instructions reach only eight registers, as on Arm cores with Thumb-1.
bool sees_eight_registers(const Target& target);

/// A buffer between the core and a slow memory: a cache, or with a single line the buffer of a
/// flash controller. A hit costs nothing; a miss is fetched `fill_bytes` at a time.
struct CacheModel {
  enum class Replacement { kLru, kFifo };
  std::string name;
  uint32_t size_bytes = 0, line_bytes = 0, ways = 0;
  uint32_t fill_bytes = 0;  ///< a divisor of line_bytes: a miss may fill part of a line
  Replacement replacement = Replacement::kLru;
  std::string source;
};

struct MemoryRegion {
  std::string name;
  uint32_t address = 0;
  uint32_t size_bytes = 0;
  bool executable = false;
  bool writable = false;
  /// Names of the caches for instruction fetches and for data reads; empty: none.
  std::string fetch_cache, read_cache;
  uint32_t fill_cycles = 0;  ///< wait of the core for one fill; without a cache: of a load
  /// The same for a fill that continues the one before, part of which a prefetch buffer hides.
  uint32_t next_fill_cycles = 0;
  std::string source;  ///< of both
  /// Names of the banks over which its words are striped; memories that name a bank share it.
  /// Empty: accesses never conflict.
  std::vector<std::string> banks;
};

/// Cycles of an in-order core. Keys are the names the timing model defines
/// (simulator/timing_model.h); it refuses unknown and missing ones. Model "unit": one instruction,
/// one cycle, no keys.
struct Timing {
  std::string model = "unit";
  std::map<std::string, int> cycles;
  std::map<std::string, std::string> sources;  ///< same keys: where each number comes from
  /// Alignment of loop heads in bytes, which a knob of kernels may select; 0: it gains nothing.
  uint32_t loop_alignment = 0;
};

struct Device {
  std::string name;
  std::string description;
  Target target;
  std::optional<uint64_t> clock_hz;  ///< absent on pure instruction counters
  std::vector<MemoryRegion> memories;
  std::string code_memory;    ///< names of regions: where a linker puts .text,
  std::string rodata_memory;  ///< constants and weights of linked programs,
  std::string data_memory;    ///< .data, .bss, arenas and a kernel's tensors,
  std::string stack_memory;   ///< and the stack, apart so that an overflow faults
  /// Faster but scarce memories to which code and weights can be copied at start-up; empty: none.
  /// Weights fill theirs in order, which may include the memories of data and of fast code.
  std::string fast_code_memory;
  std::vector<std::string> fast_rodata_memories;
  std::string fast_code_section;  ///< name of such code in the board's usual linker scripts
  /// Fast code and data share one SRAM; the linker moves the boundary. Bytes by which the data bus
  /// addresses it lower than the code bus. Absent: two memories.
  std::optional<uint32_t> data_bus_below;
  bool has_open_boundary = false;  ///< see with_open_boundary()
  std::vector<CacheModel> caches;
  Timing timing;
  std::vector<std::string> transports;  ///< "simulator", "gdb", "serial", "qemu", "native"
  int cores = 1;                        ///< identical cores with shared memory
  int core_ports = 1;                   ///< bus ports per core; 2: one for code, one for data
  /// Cycles to hand a piece of work to another core and to wait for its end.
  uint32_t fork_join_cycles = 0;
  std::string idf_target;  ///< ESP-IDF's name of the chip; empty: not one of its chips
  uint64_t hash = 0;       ///< of everything above that can change a measurement

  const MemoryRegion& memory(std::string_view region) const;
  const CacheModel& cache(std::string_view name) const;
  /// Returns the memory that a single kernel runs from when it is measured.
  const std::string& kernel_memory() const {
    return fast_code_memory.empty() ? code_memory : fast_code_memory;
  }
};

/// Loads a known device by name, or a device file by path.
/// kNotFound: neither (the message lists the known names). kInvalidInput: a malformed file, an
/// unknown key, a missing one; the message says which and where.
Result<Device> load_device(std::string_view name_or_path);

/// Returns the device without fast memories: code and constants stay in flash, also while kernels
/// are measured. Its hash differs, so its records are separate; a device without fast memories
/// keeps its hash.
Device in_flash(Device device);

/// Returns the device with fast code and data each able to fill the SRAM that they share; what one
/// takes, the other lacks. The hash is the same, so its records stay valid. Changes nothing without
/// such SRAM.
Device with_open_boundary(Device device);

/// Places the boundary behind `code_bytes` of fast code, so that the two memories do not overlap.
Device with_boundary_behind(Device device, uint64_t code_bytes);

/// Returns whether fast code and data compete for the same bytes.
bool code_is_beside_data(const Device& device);

/// Returns the device with kernels printed as C, without the FPU and the extensions that C cannot
/// express: DSP, Helium, prefetch. Its records stay valid, except schedules of templates that need
/// these.
Device with_portable_kernels(Device device);

/// Returns the names of the devices compiled into the program, sorted.
std::vector<std::string> known_devices();

/// Parses a device file's text; `origin` names it in messages.
Result<Device> parse_device(std::string_view toml, std::string_view origin);

}  // namespace tinytune
