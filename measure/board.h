// Board: the interface through which measuring uses a device, local or remote.
//
// A kernel is loaded once and runs many times. The link to a real board may be slow, so the
// interface sends little over it: constants are named by their digests and sent only if the board
// lacks them, inputs are seeds or fill values where possible, and outputs come back as digests.
// Output bytes are read only to report a mismatch. Boards do not build: they receive a linked image
// and never wait for a compiler. Simulators, debuggers and serial runners implement the interface
// (rpc_device/boards/).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "devices/device.h"
#include "measure/contents.h"
#include "tinytune/result.h"

namespace tinytune {

struct BoardIdentity {
  /// kSimulatorSource, or an id that is unique to this board, such as the chip's unique id. It is
  /// the `source` of records; figures of different sources are never ranked against each other.
  std::string id;
  std::optional<uint64_t> clock_hz;  ///< clock of the cycle counts, in Hz; nullopt: unknown
  /// Memory window for a kernel's data segment, constants, tensors and scratch together.
  uint32_t memory_address = 0, memory_bytes = 0;
};

/// Optional features of a board, beyond running kernels, counting cycles and comparing digests.
/// Without a feature, callers leave the request's field at its default, and the report's field says
/// that nothing was wrong.
struct BoardCapabilities {
  bool guards = false;               ///< Watch::guard
  bool watches_accesses = false;     ///< Watch::accesses
  bool checks_registers = false;     ///< KernelRunReport::registers_restored
  bool checks_inputs = false;        ///< KernelRunReport::inputs_unchanged
  bool counts_instructions = false;  ///< Sample::instructions; else they are 0
  bool measures_stack = false;       ///< KernelRunReport::stack_bytes; else it is 0
  bool limits_cycles = false;        ///< RunLimits::cycles
  bool limits_time = false;          ///< RunLimits::milliseconds
  /// Other programs run on the kernel's core, so cycles vary with their load.
  bool shares_its_core = false;
  /// Sending and reading whole buffers costs next to nothing. If false, measuring sends seeds and
  /// fill values wherever these suffice.
  bool bytes_are_cheap = false;
};

enum class BufferRole { kInput, kConstant, kScratch, kOutput };

/// A pointer argument of the kernel.
struct Argument {
  BufferRole role = BufferRole::kInput;
  uint32_t size_bytes = 0;
  uint32_t alignment = 4;
  Digest constant;  ///< kConstant: digest_of() of its bytes
};

/// A linked kernel: `void symbol(arguments…)`, see templates/kernel_template.h.
struct LoadRequest {
  std::span<const uint8_t> elf;  ///< executable at the device's addresses; read during load() only
  std::string symbol;
  std::vector<Argument> arguments;
};

enum class LoadEnd {
  kLoaded,
  kLacksConstants,  ///< the caller must keep() each of LoadReport::lacking, then load again
  kDoesNotFit,      ///< image, constants and tensors exceed the memory window
  kRefused,         ///< the board cannot run this image
};

struct LoadReport {
  LoadEnd end = LoadEnd::kLoaded;
  std::string detail;           ///< one line; empty for kLoaded and kLacksConstants
  std::vector<Digest> lacking;  ///< kLacksConstants: the missing constants, without duplicates
};

/// Which end of each buffer touches an unmapped page, so that a one-byte overrun there faults.
enum class Guard { kNone, kAtEnd, kAtStart };

struct Watch {
  Guard guard = Guard::kNone;  ///< inputs and constants are then read-only
  /// Checks each access: it faults if it is misaligned or touches a byte outside all buffers. Needs
  /// a guard. Cycles counted meanwhile are not the kernel's.
  bool accesses = false;
};

/// Limits of one call. A limit that is nullopt, or that the board cannot watch, never ends a run.
struct RunLimits {
  std::optional<uint64_t> cycles;
  std::optional<uint32_t> milliseconds;  ///< on the board's clock or the link's
};

struct RunRequest {
  Contents input;
  Contents output;      ///< initial output bytes; they should reveal a byte that is never written
  uint8_t scratch = 0;  ///< initial value of every scratch byte
  int repeats = 1;      ///< calls; buffers are refilled before each
  Watch watch;
  RunLimits limits;
};

enum class RunEnd {
  kReturned,
  kCycleLimit,  ///< caused by the kernel: reproducible
  kTimeLimit,   ///< may be caused by a slow link or a changed clock
  kFault,
};

/// One call.
struct Sample {
  uint64_t cycles = 0;
  uint64_t instructions = 0;  ///< 0 if the board counts none
  Digest output;              ///< digest_of() of the output's bytes after the call
};

struct KernelRunReport {
  RunEnd end = RunEnd::kReturned;
  std::string detail;           ///< one line on what went wrong; empty if nothing did
  std::vector<Sample> samples;  ///< one per repeat; empty unless kReturned
  uint32_t stack_bytes = 0;     ///< deepest stack use seen
  bool registers_restored = true;
  bool inputs_unchanged = true;  ///< the input and every constant
};

/// Returns whether the kernel returned, restored its registers and left its inputs unchanged.
bool clean(const KernelRunReport& report);

/// Not thread-safe: one caller at a time. Every call may fail with kDeviceLost: the board is in an
/// unknown state and has lost its kernel and constants; only reset() may be called then.
/// kInvalidInput is a caller's mistake and changes nothing. Misbehaviour of a kernel is no error
/// but is reported in the result.
class Board {
 public:
  virtual ~Board() = default;

  virtual const Device& device() const = 0;
  /// identity() and capabilities() do not query the board: they are fixed when it is opened.
  virtual BoardIdentity identity() const = 0;
  virtual BoardCapabilities capabilities() const = 0;

  /// Stores a constant until reset(), or until a constant that a later load() names needs its room.
  /// Everything kept since the last load() is available to the next one. kInvalidInput: the bytes
  /// do not match the digest.
  virtual Status keep(const Digest& digest, std::span<const uint8_t> bytes) = 0;

  /// Selects the kernel that run() calls. If the report is not kLoaded, no kernel is loaded.
  virtual Result<LoadReport> load(const LoadRequest& request) = 0;

  /// Calls the loaded kernel, and stops at the first call that does not return. kInvalidInput:
  /// nothing is loaded, or contents differ in size from their buffer.
  virtual Result<KernelRunReport> run(const RunRequest& request) = 0;

  /// Runs each request in turn, up to and including the first whose report is not clean(). Each
  /// must have `repeats` 1. Boards behind a slow link override this to send one message for all.
  virtual Result<std::vector<KernelRunReport>> run_each(std::span<const RunRequest> requests);

  /// Reads the output's bytes after the last call. kInvalidInput: no call has returned since
  /// load().
  virtual Result<std::vector<uint8_t>> read_output() = 0;

  /// Restores the state after power-up: no kernel loaded, no constant kept. kDeviceLost: the board
  /// does not answer and needs manual intervention.
  virtual Status reset() = 0;
};

/// Returns the digest that names constants and outputs: Digester().add(bytes).
Digest digest_of(std::span<const uint8_t> bytes);

}  // namespace tinytune
