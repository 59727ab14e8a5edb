// A whole network as a C library: graph + chosen schedules → files to link into firmware.
//
// One static arena planned offline, no heap, no interpreter. Each operator of the executed graph is
// one function `<name>_layer_<index>`, so that a profiler (or our simulator) can tell layers apart;
// operators that come out the same, addresses included, are calls of the first one's. Operators
// that run strip by strip are one function, `<name>_layers_<first>_<last>`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/networks/layer_function.h"
#include "codegen/networks/placement.h"
#include "codegen/networks/storage.h"
#include "codegen/strips/strip_flow.h"
#include "devices/arrival_way.h"
#include "devices/device.h"
#include "models/graph.h"
#include "models/integer_network.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "tinytune/footprint.h"
#include "tinytune/result.h"

namespace tinytune {

class BuildCache;
struct LibraryParts;

/// A kernel's schedule from outside. The default rule's may be among them, where nobody has
/// measured it.
struct GivenSchedule {
  Schedule schedule;
  bool measured = true;
  std::optional<Schedule> otherwise = {};  ///< of layers whose weights do not permit it
};

/// The best known schedule of a workload, or nothing (the default is used then).
using ScheduleSource = std::function<std::optional<GivenSchedule>(const Workload&)>;

/// The layout of every operator, in execution order. codegen/layout.h makes and chooses them.
using LayoutSource = std::function<std::vector<Layout>(const Graph&, std::span<const IntegerOp>)>;

/// What a build system does with a file.
enum class FileRole {
  kHeader,
  kSource,    ///< of the library: C, or assembly for the C preprocessor
  kTest,      ///< the C of a package's test program
  kBench,     ///< the C of the program that times its layers
  kBuild,     ///< read by a build system or another tool
  kDocument,  ///< read by people
};

struct GeneratedFile {
  std::string name;  ///< relative path
  std::string contents;
  FileRole role = FileRole::kBuild;
  bool is_theirs = false;  ///< the user's own, as it was given: built without our warnings
};

/// `<name>_weights.c`.
std::string constants_file(const std::string& name);
/// `<name>_kernels.S`, or `.c` where kernels are portable.
std::string kernels_file(const std::string& name, const Device& device);

/// A tensor that the caller fills or reads.
struct Port {
  Tensor tensor;
  uint32_t offset = 0;  ///< in the arena
};

/// What one operator of the model became.
struct GeneratedLayer {
  int index = 0;  ///< operator index in the model; -1: a transform or copy that none owns
  std::string op;
  std::string symbol;  ///< empty when no code executes; layers that are the same share it
  /// Of a layer that two cores share: what another core may compute while `symbol` computes.
  std::string other_symbol;
  /// Called before `symbol` and `other_symbol`: waits for weights. Empty where none arrive.
  std::string before_symbol;
  std::optional<int> fused_into;  ///< the operator that carries its cost
  int arriving_blocks = 0;        ///< of constants, where they arrive
  bool tuned = false;             ///< its schedule was measured
  std::optional<Schedule> schedule;
  /// The schedule given for its workload, where its own weights do not permit that one.
  std::optional<Schedule> forbidden;
  Layout layout = Layout::kNhwc;  ///< of what it writes
  int64_t macs = 0, macs_executed = 0;

  /// All of its functions, in the order in which one core may call them.
  std::vector<std::string> functions() const {
    std::vector<std::string> all;
    for (const std::string& function : {before_symbol, symbol, other_symbol})
      if (!function.empty()) all.push_back(function);
    return all;
  }
};

/// Where a tensor lives in the arena while it lives.
struct PlacedTensor {
  int tensor = 0;  ///< id in the model
  uint32_t offset = 0, bytes = 0;
  /// Indices into `layers` that write it first and read it last; an input's first step is -1. Valid
  /// right after `first_step`; a later operator may overwrite it in place as it reads it last.
  int first_step = 0, last_step = 0;
  Layout layout = Layout::kNhwc;  ///< how the arena holds it
};

/// What a library was made from, for who finds it years later. Empty where it is not known.
struct Provenance {
  std::string tool;          ///< name and version of the program
  std::string model_sha256;  ///< of the model file's bytes
  std::string records;       ///< the log's file name, without folders
};

/// An input that arrives in rows, and never exists as a whole.
struct RowStream {
  int rows = 0;            ///< of the input
  int hop = 0;             ///< rows to the next result; 0: they are of another input
  uint32_t row_bytes = 0;  ///< dense
  /// What build_network() adds to the image beside the arena: all rows, for who has no camera.
  std::string rows_symbol;
};

/// What people call its rows: "row", or "frame" where they come without end; rows_word(): many.
std::string row_word(const RowStream& stream);
std::string rows_word(const RowStream& stream);

/// A layer of which one core computes the first rows of the output, another the rest; of a dense
/// layer's only row channels, of matrix products matrices (split_layers.h).
struct CoreSplit {
  int index = 0;  ///< of the model's operator
  int count = 0;  ///< of the first core

  bool operator==(const CoreSplit&) const = default;
};

/// A layer whose constants come out of flash while earlier code computes (arriving_layers.h).
struct ArrivingLayer {
  int step = 0;        ///< in execution order
  int blocks = 1;      ///< of output channels, one after the other
  int start_step = 0;  ///< in which the first block sets out: the layer's own, or an earlier one

  bool operator==(const ArrivingLayer&) const = default;
};

struct Arrivals {
  ArrivalWay way;
  /// By step. Nothing sets out before the step of the layer before it, in which its last block
  /// does. Where the way locks flash, it sets out there with nothing that computes between both,
  /// or in its own step.
  std::vector<ArrivingLayer> layers;
};

struct GeneratedNetwork {
  std::string name;               ///< as NetworkOptions has it
  std::vector<CoreSplit> splits;  ///< likewise
  /// `status f(void* arena)`; layers are `void f(unsigned char* arena)`. With a stream
  /// `status f(void* arena, const T* rows, int32_t count)`, and layers are no calls of their own.
  std::string invoke_symbol;
  std::optional<RowStream> stream;
  int cores = 1;                     ///< as NetworkOptions has it
  std::vector<StripGroup> strips;    ///< likewise
  bool early_shortcuts = false;      ///< likewise
  std::optional<Arrivals> arrivals;  ///< as NetworkOptions has them
  std::string reset_symbol;          ///< the same of what clears its state; empty: it keeps none
  /// C of functions that layers call and that nobody has given: a stub for each. For tests alone,
  /// the library has none.
  std::string stubs;
  std::string arena_symbol;          ///< what build_network() adds to the image: the arena, in .bss
  std::vector<GeneratedFile> files;  ///< <name>.h, <name>.c, <name>_weights.c, <name>_kernels.S, …
  std::vector<Port> inputs, outputs;     ///< in the model's order
  std::vector<LayerFunction> functions;  ///< each once, in the order of their first call
  std::vector<PlaceablePart> placeable;  ///< see codegen/placement.h
  std::vector<FastHome> homes;           ///< of each part; place() sets it
  std::vector<GeneratedLayer> layers;    ///< in execution order: operators and transforms
  std::vector<PlacedTensor> tensors;
  uint32_t arena_bytes = 0;
  uint32_t arena_lower_bound = 0;      ///< the most bytes of tensors alive in one step
  uint64_t constant_bytes = 0;         ///< of weights and tables
  uint64_t assembly_lines = 0;         ///< instructions and directives of all kernels
  std::optional<Footprint> footprint;  ///< these two as its header states them: state_facts()
  Provenance provenance;
  std::vector<std::string> warnings;          ///< e.g. a record illegal for a layer: default used
  std::shared_ptr<BuildCache> builds;         ///< NetworkOptions::builds, for build_network()
  std::shared_ptr<const LibraryParts> parts;  ///< for build_network(): what LLVM makes objects of
};

/// The arena that a network shares with others, which run before and after it.
struct ArenaShare {
  StateRoom state;
  uint32_t arena_bytes = 0;  ///< of the arena, at least
  int networks = 1;          ///< this one included
};

struct NetworkOptions {
  std::string name;           ///< prefix of symbols and files; a C identifier
  LayoutSource layouts = {};  ///< empty: all NHWC
  /// Where memory is short: shortcuts run before the layers around which they go also where groups
  /// of strips are made, and keep copies of the pixels that they need (subsampled_shortcuts.h).
  bool early_shortcuts = false;
  std::vector<StripGroup> strips = {};  ///< that do not overlap; all else runs layer by layer
  int cores = 1;                        ///< 2: the library has a place for another core's help
  std::vector<CoreSplit> splits = {};   ///< with two cores, of layers in no group of strips
  bool compress_weights = false;        ///< those of few values are indices (indexed_weights.h)
  /// With compress_weights: a layer decodes its own where the arena takes no more than this.
  uint64_t decoding_arena_bytes = UINT32_MAX;
  std::shared_ptr<BuildCache> builds = nullptr;  ///< of networks like this; empty: none before
  std::optional<ArenaShare> share = {};          ///< empty: the arena is its own
  /// Of layers that are in no group of strips, in a network that calls each once. Those that are
  /// split come in one block, by a way that does not lock flash.
  std::optional<Arrivals> arrivals = {};

  std::optional<StateRoom> state_room() const {
    return share ? std::optional(share->state) : std::nullopt;
  }
};

/// `network` as codegen/passes make it. kUnsupported: an operator no template or emitter takes, or
/// one that a group of strips cannot have.
/// kFailed: a kernel did not build.
Result<GeneratedNetwork> generate_network(const IntegerNetwork& network, const Device& device,
                                          const ScheduleSource& schedules,
                                          const NetworkOptions& options);

struct BuiltNetwork {
  std::vector<uint8_t> elf;  ///< executable, at the device's addresses
  Footprint footprint;       ///< but for what only a run tells: stack and cycles
};

/// Compiles the generated files exactly as a user would (clang -O2 -ffreestanding for the device's
/// ABI), adds an arena and links them with lld. kNotFound: no clang on the PATH. kFailed carries
/// clang's message; kInvalidInput says "does not fit" when a memory of the device overflows.
Result<BuiltNetwork> build_network(const GeneratedNetwork& network, const Device& device);

/// What GCC and clang are told of the core: "-mcpu=cortex-m4 -mthumb".
std::string core_flags(const Target& target);

/// "46.2 ms at 160 MHz"; empty for a device without a clock.
std::string latency_text(const Device& device, const Footprint& footprint);

/// Writes into the network's header what it comes from and what it takes, which a network that has
/// only been generated does not say. place() goes first: it changes the figures.
void state_facts(GeneratedNetwork& network, const Device& device, const Provenance& provenance,
                 const std::optional<Footprint>& footprint);

}  // namespace tinytune
