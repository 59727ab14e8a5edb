// A Measurement: the outcome of one schedule of one workload on one device.
//
// A kernel that does not build, hangs or computes wrong bytes is a measurement too; only `ok` has
// cycles. There are no sentinel times: a search that saw 1e9 would learn from it as a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/shared_text.h"

namespace tinytune {

enum class Outcome {
  kOk,
  kDoesNotFit,   ///< code or data exceed the device's memory
  kBuildFailed,  ///< the builder refused, crashed or ran out of memory
  kBuildTimeout,
  kRunTimeout,   ///< instruction or time limit
  kCrashed,      ///< a fault, an instruction the device lacks, an access outside its buffers,
                 ///< a changed input, a clobbered register
  kWrongOutput,  ///< differs from the reference in at least one byte
  kLost,         ///< two workers died while measuring it
};

/// The names used in logs: "ok", "does_not_fit", ….
std::string_view name_of(Outcome outcome);
std::optional<Outcome> parse_outcome(std::string_view name);

/// The last stage that a candidate reaches, and so the source of its figures. Each stage includes
/// the ones before it.
enum class Fidelity {
  kBuild,     ///< compiled and linked: sizes, and whether it can be built at all; no cycles
  kSimulate,  ///< run and counted by a simulator
  kBoard,     ///< run and counted by the device itself
};

/// "build", "simulate", "board".
std::string_view name_of(Fidelity fidelity);
std::optional<Fidelity> parse_fidelity(std::string_view name);

/// `source` of a measurement by a simulator; a board's is its unique id.
inline constexpr std::string_view kSimulatorSource = "simulator";

/// Sizes of the built image, known before it runs.
struct CodeFacts {
  uint64_t code_bytes = 0;      ///< text and read-only data
  uint64_t constant_bytes = 0;  ///< packed weights and the kernel's other constants
  bool operator==(const CodeFacts&) const = default;
};

/// Returns the (lower) median of at least one repeat.
uint64_t median_of(std::vector<uint64_t> cycles);

struct Measurement {
  SharedText device;
  uint64_t device_hash = 0;
  SharedText workload;  ///< text form (schedules/workload.h)
  SharedText schedule;  ///< text form (schedules/schedule.h)
  Outcome outcome = Outcome::kLost;
  std::vector<uint64_t> cycles;  ///< one per repeat; empty unless outcome is kOk
  uint64_t instructions = 0;     ///< of one call; 0 unless kOk
  CodeFacts code;
  uint64_t ram_bytes = 0;  ///< scratch and stack of the kernel, tensors excluded
  uint64_t seed = 0;       ///< of the run
  SharedText tuner;        ///< the strategy of that run: "xgb"; empty in logs of other tools
  SharedText tool;         ///< "tinytune 0.1.0"
  SharedText time;         ///< UTC, ISO 8601
  double seconds = 0;      ///< time of the trial on its worker; 0: unknown
  SharedText detail;       ///< one line on a failure; empty for kOk

  // Provenance. Logs of 0.1 lack these fields: `run` and `image` are then empty, and the source is
  // a simulator, because that version had no other.
  SharedText run;  ///< digest of what decides a run's proposals (tuner/run_identity.h)
  SharedText source = kSimulatorSource;  ///< or a board's unique id
  Fidelity fidelity = Fidelity::kSimulate;
  std::string image;  ///< digest of code and constants
  SharedText build;   ///< version of the worker that measured it

  /// Median of the repeats; nothing unless kOk. Not the minimum: from tightly coupled memory both
  /// agree, but code in flash has lucky runs, which the minimum would reward.
  std::optional<uint64_t> median_cycles() const;
};

}  // namespace tinytune
