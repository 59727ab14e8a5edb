// A whole network as a C library: graph + chosen schedules → files to link into firmware.
//
// One static arena planned offline, no heap, no interpreter. Each operator of the executed graph is
// one function `<name>_layer_<index>`, so that a profiler (or our simulator) can tell layers apart;
// operators with identical code, addresses included, share the first one's function. A group of
// operators that runs strip by strip is one function, `<name>_layers_<first>_<last>`.
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

/// A schedule that a ScheduleSource gives for a kernel. `measured` is false for the default rule's
/// schedule if it was not measured.
struct GivenSchedule {
  Schedule schedule;
  bool measured = true;
  std::optional<Schedule> otherwise = {};  ///< for weights that do not permit `schedule`
};

/// Returns the best known schedule of a workload, or nothing: the default is used then.
using ScheduleSource = std::function<std::optional<GivenSchedule>(const Workload&)>;

/// Returns every operator's layout, in execution order (codegen/networks/layout.h chooses them).
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
  bool is_theirs = false;  ///< the user's own file, unchanged: compiled without our warnings
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

/// The generated code of one operator of the model.
struct GeneratedLayer {
  int index = 0;  ///< operator index in the model; -1: an added transform or copy
  std::string op;
  std::string symbol;  ///< its function; empty: no code executes; identical layers share it
  /// The half of a shared layer that another core may compute in parallel with `symbol`.
  std::string other_symbol;
  /// Called before `symbol` and `other_symbol`: waits for weights. Empty if none arrive.
  std::string before_symbol;
  std::optional<int> fused_into;  ///< the operator that carries its cost
  int arriving_blocks = 0;        ///< blocks in which its constants arrive; 0: they do not
  bool tuned = false;             ///< its schedule was measured
  std::optional<Schedule> schedule;
  /// The schedule given for its workload, if its weights do not permit that one.
  std::optional<Schedule> forbidden;
  Layout layout = Layout::kNhwc;  ///< of its output
  int64_t macs = 0, macs_executed = 0;

  /// All of its functions, in the order in which one core may call them.
  std::vector<std::string> functions() const {
    std::vector<std::string> all;
    for (const std::string& function : {before_symbol, symbol, other_symbol})
      if (!function.empty()) all.push_back(function);
    return all;
  }
};

/// A tensor's place and live range in the arena.
struct PlacedTensor {
  int tensor = 0;  ///< id in the model
  uint32_t offset = 0, bytes = 0;
  /// Indices into `layers` of the first write (-1 for inputs) and the last read. The contents are
  /// valid right after `first_step`; the last reader may overwrite them in place.
  int first_step = 0, last_step = 0;
  Layout layout = Layout::kNhwc;  ///< how the arena holds it
};

/// Sources of a library, by which it can be traced years later. Empty: unknown.
struct Provenance {
  std::string tool;          ///< name and version of the program
  std::string model_sha256;  ///< of the model file's bytes
  std::string records;       ///< the log's file name, without folders
};

/// An input that arrives row by row and is never stored as a whole.
struct RowStream {
  int rows = 0;            ///< rows of the input
  int hop = 0;             ///< new rows per later result; 0: the next row begins another input
  uint32_t row_bytes = 0;  ///< bytes of a dense row
  /// The array of all rows that build_network() adds beside the arena, for runs without a camera.
  std::string rows_symbol;
};

/// Returns "row", or "frame" if rows arrive without end; rows_word() returns the plural.
std::string row_word(const RowStream& stream);
std::string rows_word(const RowStream& stream);

/// A layer split between two cores: by rows of the output, by channels if there is only one row or
/// pixel, by matrices if it is a matrix product (split_layers.h).
struct CoreSplit {
  int index = 0;  ///< operator index in the model
  int count = 0;  ///< rows, channels or matrices that the first core computes

  bool operator==(const CoreSplit&) const = default;
};

/// A layer whose constants are fetched from flash while earlier code computes (arriving_layers.h).
struct ArrivingLayer {
  int step = 0;        ///< in execution order
  int blocks = 1;      ///< blocks of output channels, computed in sequence
  int start_step = 0;  ///< step that starts the first transfer: the layer's own or an earlier one

  bool operator==(const ArrivingLayer&) const = default;
};

struct Arrivals {
  ArrivalWay way;
  /// Sorted by step. A first transfer starts no earlier than the step of the arriving layer before,
  /// in which that one's last block starts. If the way locks flash, it starts in that step, with no
  /// code running between both layers, or in its own step.
  std::vector<ArrivingLayer> layers;
};

struct GeneratedNetwork {
  std::string name;               ///< as NetworkOptions has it
  std::vector<CoreSplit> splits;  ///< likewise
  /// `status f(void* arena)`; layers are `void f(unsigned char* arena)`. With a stream
  /// `status f(void* arena, const T* rows, int32_t count)`; layers cannot be called separately.
  std::string invoke_symbol;
  std::optional<RowStream> stream;
  int cores = 1;                     ///< as NetworkOptions has it
  std::vector<StripGroup> strips;    ///< likewise
  bool early_shortcuts = false;      ///< likewise
  std::optional<Arrivals> arrivals;  ///< as NetworkOptions has them
  std::string reset_symbol;  ///< `status f(void* arena)`: clears its state; empty: it has none
  /// C stubs of the users' functions that layers call and that were not supplied. Only for tests:
  /// the library has none.
  std::string stubs;
  std::string arena_symbol;          ///< the arena that build_network() adds to the image, in .bss
  std::vector<GeneratedFile> files;  ///< <name>.h, <name>.c, <name>_weights.c, <name>_kernels.S, …
  std::vector<Port> inputs, outputs;     ///< in the model's order
  std::vector<LayerFunction> functions;  ///< each once, in the order of their first call
  std::vector<PlaceablePart> placeable;  ///< see codegen/networks/placement.h
  std::vector<FastHome> homes;           ///< by part; place() sets them
  std::vector<GeneratedLayer> layers;    ///< in execution order: operators and transforms
  std::vector<PlacedTensor> tensors;
  uint32_t arena_bytes = 0;
  uint32_t arena_lower_bound = 0;      ///< most bytes of tensors alive in one step
  uint64_t constant_bytes = 0;         ///< bytes of weights and tables
  uint64_t assembly_lines = 0;         ///< instructions and directives of all kernels
  std::optional<Footprint> footprint;  ///< footprint and provenance in the header: state_facts()
  Provenance provenance;
  std::vector<std::string> warnings;          ///< e.g. a record illegal for a layer: default used
  std::shared_ptr<BuildCache> builds;         ///< NetworkOptions::builds, for build_network()
  std::shared_ptr<const LibraryParts> parts;  ///< for build_network(), which compiles them by LLVM
};

/// An arena shared with other networks, which run before and after this one.
struct ArenaShare {
  StateRoom state;
  uint32_t arena_bytes = 0;  ///< minimum bytes of the arena
  int networks = 1;          ///< this one included
};

struct NetworkOptions {
  std::string name;           ///< prefix of symbols and files; a C identifier
  LayoutSource layouts = {};  ///< empty: all NHWC
  /// For small memories: already before strip groups are formed, moves shortcuts before the layers
  /// that they bypass; strided ones read copies of their pixels (subsampled_shortcuts.h).
  bool early_shortcuts = false;
  std::vector<StripGroup> strips = {};  ///< disjoint groups; all other operators run layer by layer
  int cores = 1;                        ///< 2: a second core may help
  std::vector<CoreSplit> splits = {};   ///< with two cores: layers outside strip groups
  bool compress_weights = false;  ///< stores weights of few values as indices (indexed_weights.h)
  /// With compress_weights: a layer decodes its weights only if the arena stays within this size.
  uint64_t decoding_arena_bytes = UINT32_MAX;
  std::shared_ptr<BuildCache> builds = nullptr;  ///< compilations of similar networks; null: none
  std::optional<ArenaShare> share = {};          ///< empty: the arena is its own
  /// Layers whose weights arrive: outside strip groups, in a network that calls each layer once.
  /// Split layers arrive in one block, by a way that neither locks flash nor fills a cache.
  std::optional<Arrivals> arrivals = {};

  std::optional<StateRoom> state_room() const {
    return share ? std::optional(share->state) : std::nullopt;
  }
};

/// Generates the library of a network that codegen/passes prepared. kUnsupported: an operator that
/// no template or emitter takes, or one that cannot be in its strip group.
/// kFailed: a kernel did not build.
Result<GeneratedNetwork> generate_network(const IntegerNetwork& network, const Device& device,
                                          const ScheduleSource& schedules,
                                          const NetworkOptions& options);

struct BuiltNetwork {
  std::vector<uint8_t> elf;  ///< executable, at the device's addresses
  Footprint footprint;       ///< without stack and cycles, which only a run tells
};

/// Compiles the generated files exactly as a user would (clang -O2 -ffreestanding for the device's
/// ABI), adds an arena and links them with lld. kNotFound: no clang on the PATH. kFailed carries
/// clang's message; kInvalidInput says "does not fit" when a memory of the device overflows.
Result<BuiltNetwork> build_network(const GeneratedNetwork& network, const Device& device);

/// Returns the flags that select the core in GCC and clang: "-mcpu=cortex-m4 -mthumb".
std::string core_flags(const Target& target);

/// "46.2 ms at 160 MHz"; empty for a device without a clock.
std::string latency_text(const Device& device, const Footprint& footprint);

/// Writes provenance and footprint into the network's header, which lacks them after generation.
/// Call place() first: it changes the figures.
void state_facts(GeneratedNetwork& network, const Device& device, const Provenance& provenance,
                 const std::optional<Footprint>& footprint);

}  // namespace tinytune
