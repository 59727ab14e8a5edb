// Generates a C library from a model and a log, and runs exactly that library on the simulator.
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

/// Options of compile_model(): contents and format of the package, and memory limits.
struct CompileOptions {
  std::optional<std::string> records;  ///< path of a log; absent: default schedules
  bool require_tuned = false;          ///< makes a layer without a usable record an error
  bool portable = false;               ///< kernels as C11 for any core, instead of assembly
  int cores = 1;  ///< 2: splits layers over both cores where faster; the device must have 2
  /// Stores weights of at most 128 different values in flash as indices. A layer decodes them into
  /// the arena before it runs. Layers in strips or shared by two cores keep plain weights.
  bool compress_weights = false;
  /// Name of an [[arrival]] table of the device file: how weights are copied from flash to the
  /// arena while the core computes, where that is faster. Empty: no such copies.
  std::string arrival;
  bool bench = false;  ///< adds a program that prints cycles by layer; needs InputArrival::kWhole
  LayoutPolicy layout = LayoutPolicy::kNhwc;     ///< layout of activations
  PackageFormat format = PackageFormat::kCmake;  ///< target build system
  PackageIdentity identity;                      ///< fields of the package's manifest
  MemoryLimits limits;  ///< the fastest kernels within them are used; kFailed if none fit
  InputArrival input = InputArrival::kWhole;  ///< kUnsupported: its layers are not computed by row
  MessageSink on_message;                     ///< receives warnings and news; may be empty
};

/// Files, memory and tuning state of a generated library.
struct CompileReport {
  std::string directory;           ///< as passed to compile_model()
  std::vector<std::string> files;  ///< paths relative to `directory`
  uint32_t arena_bytes = 0;        ///< size of the buffer that the caller provides
  uint32_t arena_lower_bound = 0;  ///< largest sum of bytes of tensors alive in one step
  /// One inference of the smoke test; absent if this machine cannot build or simulate the library.
  std::optional<Footprint> footprint;
  /// Whether that inference matched the reference bit for bit; absent if `footprint` is.
  std::optional<bool> exact;
  std::optional<uint64_t> clock_hz;          ///< of the device; absent on instruction counters
  int layers_tuned = 0, layers_tunable = 0;  ///< layers with a record; layers that have a task
};

/// Writes the library of `model` for `device` into `directory`, which is created if missing.
/// kNotFound, kInvalidInput: the device or log is missing or malformed. kUnsupported: an operator
/// has no generator. kFailed: require_tuned is not met, a kernel does not build, a write fails.
Result<CompileReport> compile_model(const Model& model, const std::string& device,
                                    const std::string& directory, const CompileOptions& options);

/// Memory of networks that run one after another in one arena.
struct SharedArenaReport {
  std::vector<CompileReport> networks;  ///< in the order of the models, one folder each
  uint32_t arena_bytes = 0;             ///< size of the shared arena: the largest network's
  uint32_t state_bytes = 0;  ///< part of it, at its start: state kept between calls, all networks
  uint32_t apart_bytes = 0;  ///< sum of the arenas if each network had its own
  /// All networks: the arena once, the deepest stack, sums of the rest. Absent if one network's is.
  std::optional<Footprint> footprint;
};

/// Writes the library of each model into a folder of `directory` named after the model. The
/// networks share one arena and must not run at the same time; no network overwrites the state that
/// another keeps between calls. Limits hold for the sum. Errors as compile_model(). kInvalidInput:
/// fewer than two models, or two of one name. kUnsupported: inputs that arrive in rows. kFailed:
/// together they do not fit.
Result<SharedArenaReport> compile_models(std::span<const Model> models, const std::string& device,
                                         const std::string& directory,
                                         const CompileOptions& options);

/// Options of run_model(): inputs, number of inferences, comparisons, and how to generate the code.
struct RunOptions {
  std::optional<std::string> records;  ///< path of a log; absent: default schedules
  /// One vector per model input: the bytes of `steps` steps back to back, or of one step, which is
  /// repeated for all (a message says so). Empty: generate_inputs() with seed 1.
  std::vector<std::vector<uint8_t>> inputs;
  /// Consecutive inferences after one reset, for networks with state. Costs are the last step's.
  /// With kFrames the first window is one more step of `inputs`, before these. Each step consumes
  /// one hop of new frames, taken from the start of its part of `inputs`.
  int steps = 1;
  bool verify = false;            ///< compare with the reference operators, bit for bit
  bool dump_tensors = false;      ///< keep every tensor that the generated code materialises
  bool portable = false;          ///< as CompileOptions'
  int cores = 1;                  ///< as CompileOptions'; costs are measured with both cores busy
  bool compress_weights = false;  ///< as CompileOptions'
  std::string arrival;            ///< as CompileOptions'
  bool flash_front = false;       ///< fill RunReport::flash_front; ignored with limits.flash_bytes
  bool arena_front = false;       ///< fill RunReport::arena_front: builds and runs more networks
  LayoutPolicy layout = LayoutPolicy::kNhwc;  ///< layout of activations
  MemoryLimits limits;                        ///< as CompileOptions'
  InputArrival input = InputArrival::kWhole;  ///< as CompileOptions'; others exclude `on` and dumps
  /// A board of the same device to run the network on as well, from RAM: "DEVICE@gdb:HOST:PORT".
  std::optional<std::string> on;
  MessageSink on_message;  ///< receives warnings; may be empty
};

/// Cost of one operator of the model in one inference.
struct LayerCost {
  int index = 0;                                   ///< index of the model's operator
  std::string op;                                  ///< TFLite's name
  int64_t macs = 0, macs_executed = 0;             ///< in the model; after folding
  uint64_t instructions = 0, cycles = 0;           ///< of one inference
  uint64_t multiplies = 0, loads = 0, stores = 0;  ///< instructions of each class
  uint64_t branches_taken = 0;                     ///< taken conditional branches
  bool tuned = false;                              ///< schedule from a record; false: the default
  int cores = 1;                                   ///< cores that share the layer
  int arriving_blocks = 0;  ///< blocks in which weights are copied during computation; 0: no copy
  std::optional<int> fused_into;  ///< operator that includes this one's cost, which is then 0 here
  LayoutPolicy layout = LayoutPolicy::kNhwc;  ///< layout of the result; never kAuto
  /// Part of `cycles`: waits for code, and for constants, that are in flash.
  uint64_t fetch_wait_cycles = 0, read_wait_cycles = 0;
  /// Names of the device's memories; two, joined by '+', if the layer's constants are in two. Empty
  /// if it has no code or constants, and on devices with a single memory.
  std::string code_memory, weights_memory;
};

/// Cycles, from the log, of the tunable layers in one assignment of layouts, transforms included.
struct LayoutTotal {
  std::optional<uint64_t> cycles;  ///< layers + transforms; absent if a layer has no record in it
  uint64_t transform_cycles = 0;   ///< sum over the transforms
  int transforms = 0;              ///< number of transforms
};

/// The layout chosen for each layer, and the cost of a single layout for all layers.
struct LayoutComparison {
  /// One operator with a choice of layouts.
  struct Layer {
    int index = 0;                                     ///< index of the model's operator
    LayoutPolicy layout = LayoutPolicy::kNhwc;         ///< chosen; never kAuto
    std::optional<uint64_t> nhwc_cycles, nchw_cycles;  ///< absent if not measured, or no kernel
  };
  std::vector<Layer> layers;               ///< operators with a choice
  LayoutTotal chosen, all_nhwc, all_nchw;  ///< totals of three assignments
};

/// Flash and time of the library for one choice among the measured kernels.
struct FlashPoint {
  uint64_t flash_bytes = 0;  ///< of the linked library
  uint64_t cycles = 0;       ///< of one inference
};

/// Arena and time of one generated network.
struct ArenaPoint {
  uint64_t arena_bytes = 0;  ///< with inputs, outputs and kernels' scratch
  uint64_t cycles = 0;       ///< of one inference
};

/// A tensor's bytes after its layer ran.
struct TensorDump {
  int id = 0;                  ///< in the model file
  std::vector<uint8_t> bytes;  ///< in NHWC order, whatever layout the generated code used
};

/// The same network on a board, beside the simulator.
struct BoardRun {
  std::string id;                             ///< identifies the board
  uint64_t cycles = 0;                        ///< of one whole invocation, by the board's counter
  std::map<int, uint64_t> layer_cycles;       ///< by operator, each layer called by itself
  std::vector<std::vector<uint8_t>> outputs;  ///< in the model's order
  std::optional<bool> exact;                  ///< only with verify
  std::string difference;                     ///< as RunReport's
};

/// Live ranges of tensors in the arena over one inference. Bytes that belong to no tensor are
/// kernels' scratch, ring buffers of strips, or gaps.
struct ArenaTimeline {
  /// A tensor's place and live range.
  struct Tenant {
    int tensor = 0;                     ///< id in the model
    uint32_t offset = 0, bytes = 0;     ///< in the arena
    int first_step = 0, last_step = 0;  ///< indices into `steps`, inclusive; -1: before the first
  };
  std::vector<int> steps;       ///< operators in execution order; -1: a transform between layouts
  std::vector<Tenant> tenants;  ///< in no order
};

/// Results and costs of one inference of the built network.
struct RunReport {
  std::optional<bool> exact;           ///< only with verify
  std::string difference;              ///< the first one, for people; empty unless exact is false
  uint64_t instructions = 0;           ///< of one whole invocation
  Footprint footprint;                 ///< measured; `cycles` are of one whole invocation
  uint64_t mean_cycles = 0;            ///< over all steps; footprint.cycles are the last step's
  std::optional<uint64_t> clock_hz;    ///< of the device; absent on instruction counters
  uint32_t arena_lower_bound = 0;      ///< largest sum of bytes of tensors alive in one step
  uint64_t overhead_instructions = 0;  ///< instructions that belong to no operator
  uint64_t fetch_wait_cycles = 0, read_wait_cycles = 0;  ///< of all cycles, as LayerCost's
  std::vector<LayerCost> layers;                         ///< by operator of the model
  ArenaTimeline arena;                                   ///< live ranges of tensors
  std::optional<LayoutComparison> layouts;               ///< absent if options.layout is kNhwc
  std::vector<std::vector<uint8_t>> outputs;  ///< in the model's order; all steps back to back
  std::vector<TensorDump> tensors;            ///< only with dump_tensors
  /// Only with flash_front, fastest first: this network, then estimates for other choices of
  /// kernels, from their records. Each has fewer bytes; at most 16 points, evenly spaced.
  /// Empty if a task has no record.
  std::vector<FlashPoint> flash_front;
  /// Only with arena_front, fastest first: the Pareto front (bytes, cycles) of this network and of
  /// smaller ones whose layers run in strips (ADR 58). Each was built and run.
  std::vector<ArenaPoint> arena_front;
  std::vector<int> fused_tensors;  ///< only with dump_tensors: tensors that are never in memory
  std::optional<BoardRun> board;   ///< only with `on`
};

/// Compiles the files that compile_model() writes, as a user would, and calls them once per step.
/// Errors as compile_model(); kInvalidInput also for inputs of a wrong number or size. kFailed also
/// when the library does not fit the device or its code faults; kDeviceLost: `on` does not answer.
/// A result that differs from the reference is a report (`exact` is false), not an error.
Result<RunReport> run_model(const Model& model, const std::string& device,
                            const RunOptions& options);

/// Generates a model's inputs from `seed`: one byte b per element, from one stream over all steps
/// and, within a step, all inputs. b is uniform for seeds below 100 and a random walk from 100 on.
/// A float32 element is (b + 128) / 255; both bytes of an int16 are b; a longer integer has b's
/// value. Each returned vector holds one input's steps back to back. kInvalidInput: seed 0, or
/// inputs of more than 1 GiB in all.
Result<std::vector<std::vector<uint8_t>>> generate_inputs(const Model& model, uint32_t seed,
                                                          int steps = 1);

}  // namespace tinytune
