// Board: the one thing measuring needs from a device, wherever it is.
//
// A kernel is loaded once and runs many times. A link to a real board may be slow, so little
// crosses it: constants are named by their digests and sent only where the board lacks them, inputs
// are seeds or fill values where they can be, and outputs come back as digests; their bytes are
// read only to say what is wrong with them. Building is no business of a board: it is given a
// linked image and never waits for a compiler. Simulators, debuggers and serial runners implement
// this (rpc_device/boards/).
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
  /// kSimulatorSource, or what no other board has, such as a chip's unique id. It is a record's
  /// `source`, and figures of different sources are never ranked against each other.
  std::string id;
  std::optional<uint64_t> clock_hz;  ///< that the cycles were counted at; nothing: not known
  /// What a kernel has for its data segment, constants, tensors and scratch together.
  uint32_t memory_address = 0, memory_bytes = 0;
};

/// What a board does besides running kernels, counting cycles and comparing digests. Where it
/// cannot, the request's field is left at its default, and the report's says nothing was wrong.
struct BoardCapabilities {
  bool guards = false;               ///< Watch::guard
  bool watches_accesses = false;     ///< Watch::accesses
  bool checks_registers = false;     ///< KernelRunReport::registers_restored
  bool checks_inputs = false;        ///< KernelRunReport::inputs_unchanged
  bool counts_instructions = false;  ///< Sample::instructions; else they are 0
  bool measures_stack = false;       ///< KernelRunReport::stack_bytes; else it is 0
  bool limits_cycles = false;        ///< RunLimits::cycles
  bool limits_time = false;          ///< RunLimits::milliseconds
  /// Other programs run beside kernels, so that cycles vary with what those do.
  bool shares_its_core = false;
  /// Whole buffers may be sent and read for next to nothing. Where not, measuring sends seeds and
  /// fill values wherever these show the same.
  bool bytes_are_cheap = false;
};

enum class BufferRole { kInput, kConstant, kScratch, kOutput };

/// A pointer that the kernel is called with.
struct Argument {
  BufferRole role = BufferRole::kInput;
  uint32_t size_bytes = 0;
  uint32_t alignment = 4;
  Digest constant;  ///< kConstant: digest_of() its bytes
};

/// A linked kernel: `void symbol(arguments…)`, see templates/kernel_template.h.
struct LoadRequest {
  std::span<const uint8_t> elf;  ///< executable at the device's addresses; read during load() only
  std::string symbol;
  std::vector<Argument> arguments;
};

enum class LoadEnd {
  kLoaded,
  kLacksConstants,  ///< keep() those of LoadReport::lacking, then load again
  kDoesNotFit,      ///< image, constants and tensors exceed the memory window
  kRefused,         ///< no image that this board could run
};

struct LoadReport {
  LoadEnd end = LoadEnd::kLoaded;
  std::string detail;           ///< one line; empty for kLoaded and kLacksConstants
  std::vector<Digest> lacking;  ///< kLacksConstants: those it does not hold, each once
};

/// Where buffers sit. Against an unmapped page at the end (or start) a one-byte overrun faults.
enum class Guard { kNone, kAtEnd, kAtStart };

struct Watch {
  Guard guard = Guard::kNone;  ///< inputs and constants are then read-only
  /// Each access: one that is misaligned, or touches a byte that is in no buffer, is a fault. With
  /// a guard only. Cycles counted while watched are not the kernel's.
  bool accesses = false;
};

/// What one call may cost. Nothing, or a limit that the board cannot watch: it does not end a run.
struct RunLimits {
  std::optional<uint64_t> cycles;
  std::optional<uint32_t> milliseconds;  ///< on the board's clock or the link's
};

struct RunRequest {
  Contents input;
  Contents output;      ///< what it holds before: a byte that the kernel forgets must show
  uint8_t scratch = 0;  ///< what every byte of scratch holds before
  int repeats = 1;      ///< calls, each with its buffers filled anew
  Watch watch;
  RunLimits limits;
};

enum class RunEnd {
  kReturned,
  kCycleLimit,  ///< the kernel's own doing: it is so each time
  kTimeLimit,   ///< may be a slow link or a clock that changed
  kFault,
};

/// One call.
struct Sample {
  uint64_t cycles = 0;
  uint64_t instructions = 0;  ///< 0 where the board counts none
  Digest output;              ///< digest_of() the output's bytes after it
};

struct KernelRunReport {
  RunEnd end = RunEnd::kReturned;
  std::string detail;           ///< one line on what went wrong; empty if nothing did
  std::vector<Sample> samples;  ///< one per repeat; empty unless kReturned
  uint32_t stack_bytes = 0;     ///< the deepest use seen
  bool registers_restored = true;
  bool inputs_unchanged = true;  ///< the input and every constant
};

/// It returned, and left alone what is not its own.
bool clean(const KernelRunReport& report);

/// Not thread-safe: one caller at a time. Every call may fail with kDeviceLost: the board is in an
/// unknown state, has forgotten what it was given, and nothing but reset() may be asked of it.
/// kInvalidInput is a caller's mistake and changes nothing. Whatever a kernel does is a report.
class Board {
 public:
  virtual ~Board() = default;

  virtual const Device& device() const = 0;
  /// Neither asks the board: they stay as they were when it was opened.
  virtual BoardIdentity identity() const = 0;
  virtual BoardCapabilities capabilities() const = 0;

  /// Holds a constant until reset(), or until the room is needed by one that a later load() named.
  /// What was kept since the last load() is there for the next one. kInvalidInput: other bytes than
  /// the digest says.
  virtual Status keep(const Digest& digest, std::span<const uint8_t> bytes) = 0;

  /// Makes a kernel the one that run() calls; unless kLoaded, there is none.
  virtual Result<LoadReport> load(const LoadRequest& request) = 0;

  /// Calls the loaded kernel, and stops at the first call that does not return. kInvalidInput:
  /// nothing is loaded, or contents of another size than their buffer.
  virtual Result<KernelRunReport> run(const RunRequest& request) = 0;

  /// run() of each in turn, `repeats` being 1, up to the first whose report is not clean(): at
  /// least one report. A board behind a slow link is asked for all of them at once.
  virtual Result<std::vector<KernelRunReport>> run_each(std::span<const RunRequest> requests);

  /// The output's bytes after the last call. kInvalidInput: nothing has returned since load().
  virtual Result<std::vector<uint8_t>> read_output() = 0;

  /// As after power-up: nothing loaded, no constant kept. kDeviceLost: it does not answer, and
  /// somebody has to go there.
  virtual Status reset() = 0;
};

/// How constants and outputs are named: Digester().add(bytes).
Digest digest_of(std::span<const uint8_t> bytes);

}  // namespace tinytune
