// From a model and a log to a C library, and a run of exactly that library on the simulator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tinytune/footprint.h"
#include "tinytune/input_arrival.h"
#include "tinytune/layout.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"
#include "tinytune/package.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// What to write, and within which limits.
struct CompileOptions {
  std::optional<std::string> records;  ///< a log; without one every layer gets its default schedule
  bool require_tuned = false;          ///< a layer without a usable record is then an error
  bool portable = false;               ///< kernels as C11 for any core, instead of assembly
  int cores = 1;  ///< 2: layers are shared where that is faster; the device has to have as many
  /// Weights of at most 128 values stand in flash as indices, and a layer decodes them into the
  /// arena before it runs; not those of layers in strips or shared by two cores.
  bool compress_weights = false;
  /// A way out of flash, as the device's file names it, by which weights may come while the core
  /// computes, where that is faster; empty: none.
  std::string arrival;
  bool bench = false;  ///< a program too that prints cycles by layer; not with rows of the input
  LayoutPolicy layout = LayoutPolicy::kNhwc;     ///< of activations
  PackageFormat format = PackageFormat::kCmake;  ///< build files for what
  PackageIdentity identity;                      ///< of the package's manifest
  MemoryLimits limits;  ///< the fastest kernels within them; kFailed where there are none
  InputArrival input = InputArrival::kWhole;  ///< kUnsupported: its layers are not computed by row
  MessageSink on_message;                     ///< warnings and news; may be empty
};

/// What was written, and what it takes.
struct CompileReport {
  std::string directory;           ///< as it was given
  std::vector<std::string> files;  ///< relative to it
  uint32_t arena_bytes = 0;        ///< of the caller's buffer
  uint32_t arena_lower_bound = 0;  ///< the most bytes of tensors alive in one step
  /// Of one inference of the smoke test; absent where nothing here can build or simulate it.
  std::optional<Footprint> footprint;
  /// Whether that inference gave the reference's bytes; absent as the footprint is.
  std::optional<bool> exact;
  std::optional<uint64_t> clock_hz;          ///< of the device; absent on counters
  int layers_tuned = 0, layers_tunable = 0;  ///< with a record, and those that could have one
};

/// Writes the library of `model` for `device` into `directory`, which is created if missing.
/// kNotFound, kInvalidInput: no such device or log, or malformed. kUnsupported: an operator that no
/// generator takes. kFailed: require_tuned is not met, a kernel does not build, cannot write.
Result<CompileReport> compile_model(const Model& model, const std::string& device,
                                    const std::string& directory, const CompileOptions& options);

/// Networks that run one after another in one arena, and what they take together.
struct SharedArenaReport {
  std::vector<CompileReport> networks;  ///< in the order of the models, a folder each
  uint32_t arena_bytes = 0;             ///< of the one arena: the largest network's
  uint32_t state_bytes = 0;  ///< of it, at its start: what networks keep between their calls
  uint32_t apart_bytes = 0;  ///< what arenas of their own would take in sum
  /// Of all: the arena once, the deepest stack, sums of the rest. Absent as CompileReport's.
  std::optional<Footprint> footprint;
};

/// Writes the library of each model into a folder of `directory` that has its name. All use one
/// arena, each at its own times; what a network keeps between calls no other touches. Limits hold
/// for all together. Errors as compile_model(). kInvalidInput: fewer than two models, or two of one
/// name. kUnsupported: inputs that arrive in rows. kFailed: together they do not fit.
Result<SharedArenaReport> compile_models(std::span<const Model> models, const std::string& device,
                                         const std::string& directory,
                                         const CompileOptions& options);

/// What to run, on which inputs, and what to compare.
struct RunOptions {
  std::optional<std::string> records;  ///< a log; without one, default schedules
  /// One per model input: `steps` times the tensor's bytes, step after step, or one step's, which
  /// all steps then get (a message says so). Empty: the generator with seed 1.
  std::vector<std::vector<uint8_t>> inputs;
  /// Inferences one after another from a reset, for networks with state. Costs are the last one's.
  /// Where frames arrive, steps follow the first window, which counts as one more step of `inputs`:
  /// each brings the frames of one result, which are the first of its own.
  int steps = 1;
  bool verify = false;            ///< compare with the reference operators, bit for bit
  bool dump_tensors = false;      ///< keep every tensor that the generated code materialises
  bool portable = false;          ///< as CompileOptions'
  int cores = 1;                  ///< likewise; costs are those of both cores at work
  bool compress_weights = false;  ///< as CompileOptions'
  std::string arrival;            ///< as CompileOptions'
  bool flash_front = false;       ///< say what less flash would cost; not with a limit on flash
  bool arena_front = false;  ///< say what a smaller arena would cost: builds and runs some networks
  LayoutPolicy layout = LayoutPolicy::kNhwc;  ///< of activations
  MemoryLimits limits;                        ///< as CompileOptions'
  InputArrival input = InputArrival::kWhole;  ///< as CompileOptions'; without `on` and dumps
  /// A board to run it on as well, in its RAM: "DEVICE@gdb:HOST:PORT", with the same device.
  std::optional<std::string> on;
  MessageSink on_message;  ///< warnings; may be empty
};

/// What one operator of the model takes in one inference.
struct LayerCost {
  int index = 0;                                   ///< of the model's operator
  std::string op;                                  ///< TFLite's name
  int64_t macs = 0, macs_executed = 0;             ///< in the model; after folding
  uint64_t instructions = 0, cycles = 0;           ///< of one inference
  uint64_t multiplies = 0, loads = 0, stores = 0;  ///< of the instructions
  uint64_t branches_taken = 0;                     ///< conditional ones
  bool tuned = false;                              ///< by a record; false: the default
  int cores = 1;                                   ///< that shared it
  int arriving_blocks = 0;  ///< in which its weights come while the core computes; 0: they do not
  std::optional<int> fused_into;  ///< the operator that carries its cost, which is then 0 here
  LayoutPolicy layout = LayoutPolicy::kNhwc;  ///< of its result; never kAuto
  /// Of `cycles`: those spent waiting for code and for constants that live in flash.
  uint64_t fetch_wait_cycles = 0, read_wait_cycles = 0;
  /// Names of the device's memories; both, joined by '+', where its constants are in two. Empty
  /// where it has none, and on devices with one memory for all.
  std::string code_memory, weights_memory;
};

/// Cycles of the tunable layers in some choice of layouts, from the log, and of its transforms.
struct LayoutTotal {
  std::optional<uint64_t> cycles;  ///< both; absent while a layer has no record in its layout
  uint64_t transform_cycles = 0;   ///< of all transforms
  int transforms = 0;              ///< how many there are
};

/// What was chosen by layer, and what one layout for all would cost.
struct LayoutComparison {
  /// One operator with a choice of layouts.
  struct Layer {
    int index = 0;                                     ///< of the model's operator
    LayoutPolicy layout = LayoutPolicy::kNhwc;         ///< chosen; never kAuto
    std::optional<uint64_t> nhwc_cycles, nchw_cycles;  ///< absent if not measured, or no kernel
  };
  std::vector<Layer> layers;               ///< those with a choice
  LayoutTotal chosen, all_nhwc, all_nchw;  ///< totals of three choices
};

/// One way to choose among measured kernels, and what the whole library then is.
struct FlashPoint {
  uint64_t flash_bytes = 0;  ///< of the linked library
  uint64_t cycles = 0;       ///< of one inference
};

/// A network that runs in an arena of that size.
struct ArenaPoint {
  uint64_t arena_bytes = 0;  ///< with inputs, outputs and kernels' scratch
  uint64_t cycles = 0;       ///< of one inference
};

/// A tensor's bytes after its layer ran.
struct TensorDump {
  int id = 0;                  ///< in the model file
  std::vector<uint8_t> bytes;  ///< NHWC, however the generated code held it
};

/// The same network on a board, beside the simulator.
struct BoardRun {
  std::string id;                             ///< the board's
  uint64_t cycles = 0;                        ///< of one whole invocation, by the board's counter
  std::map<int, uint64_t> layer_cycles;       ///< by operator, each layer called by itself
  std::vector<std::vector<uint8_t>> outputs;  ///< in the model's order
  std::optional<bool> exact;                  ///< only with verify
  std::string difference;                     ///< as RunReport's
};

/// The arena over one inference: which bytes hold which tensor, and while what runs. Bytes that no
/// tensor has are kernels' scratch, rings of strips, or gaps.
struct ArenaTimeline {
  /// A tensor's place and life.
  struct Tenant {
    int tensor = 0;                     ///< id in the model
    uint32_t offset = 0, bytes = 0;     ///< in the arena
    int first_step = 0, last_step = 0;  ///< places in `steps`, both included; -1: before the first
  };
  std::vector<int> steps;  ///< in execution order, the operator; -1: a transform between layouts
  std::vector<Tenant> tenants;  ///< in no order
};

/// What one inference of the built network computed and took.
struct RunReport {
  std::optional<bool> exact;           ///< only with verify
  std::string difference;              ///< the first one, for people; empty unless exact is false
  uint64_t instructions = 0;           ///< of one whole invocation, as are the cycles of
  Footprint footprint;                 ///< as it ran
  uint64_t mean_cycles = 0;            ///< of all steps; footprint.cycles are the last one's
  std::optional<uint64_t> clock_hz;    ///< of the device; absent on counters
  uint32_t arena_lower_bound = 0;      ///< the most bytes of tensors alive in one step
  uint64_t overhead_instructions = 0;  ///< what no operator owns
  uint64_t fetch_wait_cycles = 0, read_wait_cycles = 0;  ///< of all cycles, as by layer
  std::vector<LayerCost> layers;                         ///< by operator of the model
  ArenaTimeline arena;                                   ///< who lives where, when
  std::optional<LayoutComparison> layouts;  ///< unless all of the network was asked in NHWC
  std::vector<std::vector<uint8_t>>
      outputs;                      ///< in the model's order, of all steps one after another
  std::vector<TensorDump> tensors;  ///< only with dump_tensors
  /// Only with flash_front, the fastest first: this network, and what others would be, estimated
  /// from the records of their kernels. Fewer bytes with every step, 16 at most, evenly spaced.
  /// Empty where a task has no record.
  std::vector<FlashPoint> flash_front;
  /// Only with arena_front, the fastest first: of this network and of ones of fewer bytes whose
  /// layers run in strips (ADR 58), each built and run, those that no other beats in both.
  std::vector<ArenaPoint> arena_front;
  std::vector<int> fused_tensors;  ///< those that no memory ever holds
  std::optional<BoardRun> board;   ///< only with `on`
};

/// Compiles the files that compile_model writes, as a user would, and calls them once.
/// Errors as compile_model; kInvalidInput also for inputs of a wrong number or size. kFailed also
/// when the library does not fit the device or its code faults; kDeviceLost: `on` does not answer.
/// A result that differs from the reference is a report (`exact` is false), not an error.
Result<RunReport> run_model(const Model& model, const std::string& device,
                            const RunOptions& options);

/// Inputs of a model from the seeded generator, a byte b an element in one continuing stream:
/// uniform for seeds below 100, a random walk from 100 on. float32 elements are (b + 128) / 255, of
/// int16 both bytes are b, and longer integers have its value. The stream goes on over steps, each
/// of which has all inputs; an input's steps come back to back. kInvalidInput: seed 0, or inputs
/// of more than 1 GiB in all.
Result<std::vector<std::vector<uint8_t>>> generate_inputs(const Model& model, uint32_t seed,
                                                          int steps = 1);

}  // namespace tinytune
