// A device, as its data file says: what code may use, where it lives, what each instruction costs.
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

/// kAnyC: no more is known of the core than the compiler that its file names.
enum class CoreFamily { kRiscv32, kArmM, kAnyC };

/// What a core can do beyond the least of its family, as far as something asks. Code that needs one
/// of these asks for it by name: a core that no code has heard of has what its file lists.
enum class Capability {
  kDsp,       ///< "dsp": Arm's DSP extension (SMLAD, SXTB16, SADD16, ...)
  kMulHigh,   ///< "mul_high": the high word of a 64-bit product without a call (RV32M, Armv7-M)
  kDivide,    ///< "divide": division in hardware
  kPrefetch,  ///< "prefetch": PLD starts to fill a line of the cache, and the core goes on
  kMve,       ///< "mve": Arm's Helium, vectors of integers, and low-overhead loops
};

/// As device files spell it.
std::string_view name_of(Capability capability);

/// What the compilers must be told.
struct Target {
  CoreFamily family = CoreFamily::kRiscv32;
  std::string isa;           ///< as people write it: "rv32imc", "armv7e-m"
  std::string triple;        ///< LLVM target triple
  std::string cpu;           ///< LLVM CPU name
  std::string features;      ///< LLVM feature list, also what the simulator accepts: "+m,+c"
  std::string abi;           ///< "ilp32"; empty where the triple decides
  uint32_t vector_bits = 0;  ///< of a vector register where the architecture leaves it open (VLEN)
  std::set<Capability> capabilities;
  /// kAnyC: the program on the PATH that builds C for the core, a GCC or a clang, and what it is
  /// told of it ("-mabi=call0"). The LLVM fields then say what kernels are optimised for before
  /// they are printed: a 32-bit machine.
  std::string compiler;
  std::vector<std::string> compiler_flags;
  /// Kernels are C11 that says nothing of the core (codegen/kernels/portable_c.h), not assembly.
  bool portable_kernels = false;

  bool can(Capability capability) const { return capabilities.contains(capability); }
};

/// The same for the compiler's command line. Clang's follow from the target: a file that could say
/// anything there could also load a plug-in.
std::vector<std::string> clang_arguments(const Target& target);

/// Whether most instructions reach only eight of an Arm core's registers (Thumb-1).
bool sees_eight_registers(const Target& target);

/// A buffer between the core and a slow memory: a cache, or with a single line the buffer of a
/// flash controller. What it holds costs nothing; what it lacks is fetched `fill_bytes` at a time.
struct CacheModel {
  enum class Replacement { kLru, kFifo };
  std::string name;
  uint32_t size_bytes = 0, line_bytes = 0, ways = 0;
  uint32_t fill_bytes = 0;  ///< a divisor of the line: a miss need not fill all of it
  Replacement replacement = Replacement::kLru;
  std::string source;
};

struct MemoryRegion {
  std::string name;
  uint32_t address = 0;
  uint32_t size_bytes = 0;
  bool executable = false;
  bool writable = false;
  /// Names of caches that instructions and data come through; empty: they cost nothing extra.
  std::string fetch_cache, read_cache;
  uint32_t fill_cycles = 0;  ///< that the core waits for one fill
  /// The same where code runs on from the fill before, which a prefetch buffer hides in part.
  uint32_t next_fill_cycles = 0;
  std::string source;  ///< of both
  /// Names of the banks that its words take turns in; memories that name the same ones share them.
  /// Empty: no access to it ever meets another.
  std::vector<std::string> banks;
};

/// Cycles of an in-order core. Keys are the names the timing model defines
/// (simulator/timing_model.h); it refuses unknown and missing ones. Model "unit": one instruction,
/// one cycle, no keys.
struct Timing {
  std::string model = "unit";
  std::map<std::string, int> cycles;
  std::map<std::string, std::string> sources;  ///< same keys: where each number comes from
  /// Bytes that heads of loops may be aligned to, a knob of kernels; 0: it pays nothing here.
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
  /// Where code and weights may live instead, copied there at start-up: faster, scarce; empty:
  /// nowhere. Weights fill one memory, then the next, that of data or of fast code among them.
  std::string fast_code_memory;
  std::vector<std::string> fast_rodata_memories;
  std::string fast_code_section;  ///< what that board's usual linker scripts call such code
  /// Memory of fast code and of data is one SRAM, which the data bus shows so much lower; a linker
  /// moves the boundary. Absent: two memories.
  std::optional<uint32_t> data_bus_below;
  bool has_open_boundary = false;  ///< see with_open_boundary()
  std::vector<CacheModel> caches;
  Timing timing;
  std::vector<std::string> transports;  ///< "simulator", later "gdb", "serial"
  int cores = 1;                        ///< that are the same and see the same memory
  int core_ports = 1;                   ///< of each: 2 are one for code, one for data
  /// Of a piece of work that another core does meanwhile: to hand it over and to wait for its end.
  uint32_t fork_join_cycles = 0;
  std::string idf_target;  ///< what ESP-IDF calls the chip; empty: none of its chips
  uint64_t hash = 0;       ///< of everything above that can change a measurement

  const MemoryRegion& memory(std::string_view region) const;
  const CacheModel& cache(std::string_view name) const;
  /// Where a kernel by itself runs when it is measured.
  const std::string& kernel_memory() const {
    return fast_code_memory.empty() ? code_memory : fast_code_memory;
  }
};

/// `name_or_path` is a known device's name, or the path of a device file.
/// kNotFound: neither (the message lists the known names). kInvalidInput: a malformed file, an
/// unknown key, a missing one; the message says which and where.
Result<Device> load_device(std::string_view name_or_path);

/// The device as it is to who copies nothing to fast memory: code and constants in flash, also
/// while kernels are measured. Its records are not the other's (another hash); a device without
/// fast memories is the same.
Device in_flash(Device device);

/// The same device where both of fast code and data may take all of the SRAM that they share: what
/// one takes, the other lacks. Its records stay valid; a device without such SRAM is the same.
Device with_open_boundary(Device device);

/// The boundary drawn behind `code_bytes` of fast code: no byte is in both memories.
Device with_boundary_behind(Device device, uint64_t code_bytes);

/// Whether fast code takes what data may have.
bool code_is_beside_data(const Device& device);

/// The same device with its kernels printed as C: without what C has no words for, which is the DSP
/// extension. Its records stay valid, but for schedules of the templates that it loses.
Device with_portable_kernels(Device device);

/// The devices compiled into the program, by name.
std::vector<std::string> known_devices();

/// Parses a device file's text; `origin` names it in messages.
Result<Device> parse_device(std::string_view toml, std::string_view origin);

}  // namespace tinytune
