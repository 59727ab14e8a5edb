// A network ready to be printed: everything decided, nothing formatted. network.cc fills it, the
// printers (network_header.cc, network_sources.cc) read it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/networks/kernel_set.h"
#include "codegen/networks/layer_function.h"
#include "codegen/networks/layout.h"
#include "codegen/networks/network.h"
#include "codegen/networks/placement.h"
#include "codegen/operators/constant_pool.h"
#include "codegen/operators/shared_functions.h"
#include "devices/device.h"
#include "models/operator_kind.h"

namespace tinytune {

/// Strips of a streamed input, and the rows for which they wait.
struct RowArrival {
  std::string strip_function;         ///< computes the next strip; other calls follow the last one
  uint32_t window = 0, progress = 0;  ///< arena offsets of the waiting rows and of RowProgress
  std::vector<int> needed;            ///< by strip: rows that must have arrived
  std::vector<int> first;             ///< by strip: first row in the window
};

/// A tensor that is kept from one call to the next.
struct KeptTensor {
  Port port;
  std::string initial;  ///< the array that a reset copies; empty: it fills with one byte
};

/// A step of invoke: a call of a layer, or a mark of control flow.
struct InvokeStep {
  std::string symbol;       ///< of a layer; empty for a mark
  OperatorKind mark{};      ///< models/control_flow.h
  uint32_t condition = 0;   ///< arena offset of the condition of IF and DO
  std::string other = {};   ///< half that another core may compute in parallel with `symbol`
  std::string before = {};  ///< called before both: waits for weights; empty: none arrive
};

struct NetworkParts {
  std::string name;
  const Device& device;
  std::vector<Port> inputs = {}, outputs = {};
  std::vector<KeptTensor> state = {};
  std::vector<LayerFunction> functions = {};  ///< each once, in the order of their first call
  std::vector<InvokeStep> calls = {};         ///< in execution order
  ConstantPool constants = {};
  SharedFunctions shared = {};
  std::vector<KernelSet::Kernel> kernels = {};
  uint32_t arena_bytes = 0;
  std::vector<PlaceablePart> placeable = {};
  std::vector<ExternalFunction> externals = {};  ///< that layers call
  std::optional<RowStream> stream = {};
  RowArrival arrival = {};  ///< with a stream
  int cores = 1;
  std::optional<uint32_t> core_words = {};     ///< arena offset, if a layer is split
  std::optional<ArrivalWay> arrival_way = {};  ///< if weights arrive
  uint32_t arrival_words = 0;                  ///< arena offset, if weights arrive
  std::set<std::string> arriving = {};         ///< arrays that stay in flash and arrive from there
  /// Kernels that run while flash is locked, as the layers' C code does then.
  std::set<std::string> out_of_flash = {};
};

/// Fills the tables `needed` and `first`. `rows`: rows of the input.
void say_what_strips_await(const StripFlow& flow, int rows, RowArrival& arrival);

/// Prints the body of the function that takes rows of the input, up to the end of the strips.
std::string print_push_rows(const NetworkParts& parts);

/// `<name>.h`, the documented API.
struct HeaderFacts {
  const std::string& name;
  const Device& device;
  const std::vector<Port>&inputs, &outputs;
  uint32_t arena_bytes = 0;
  bool has_state = false;
  std::optional<RowStream> stream = {};
  int cores = 1;
  std::optional<ArrivalWay> arrival_way = {};  ///< if weights arrive
  std::optional<Footprint> footprint = {};
  Provenance provenance = {};
};
/// Prints an #error for a compiler that is set to another core. Without it the assembler reports a
/// thousand errors, or none and the core faults.
std::string print_core_check(const std::string& name, const Device& device);
std::string print_header(const HeaderFacts& facts);
/// `<name>_internal.h`, what the sources share.
std::string print_internal_header(const NetworkParts& parts);
/// Returns the users' files unchanged and the header that they include; empty without any.
std::vector<GeneratedFile> external_files(const NetworkParts& parts);
/// All files of the library.
std::vector<GeneratedFile> files_of(const NetworkParts& parts, const std::vector<FastHome>& homes);
std::string print_stubs(const NetworkParts& parts);
/// `<name>.c`: layers and invoke. constants_file(); kernels_file().
std::string print_source(const NetworkParts& parts);
std::string print_weights(const NetworkParts& parts);
std::string print_kernels(const NetworkParts& parts);

}  // namespace tinytune
