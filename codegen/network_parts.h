// A network ready to be printed: everything decided, nothing formatted. network.cc fills it, the
// printers (network_header.cc, network_sources.cc, network_documents.cc) read it.
#pragma once

#include <string>
#include <vector>

#include "codegen/constant_pool.h"
#include "codegen/kernel_set.h"
#include "codegen/layout.h"
#include "codegen/network.h"
#include "codegen/operator_emitter.h"
#include "codegen/placement.h"
#include "devices/device.h"
#include "models/graph.h"

namespace tinytune {

/// A tensor that the caller fills or reads.
struct PortTensor {
  int tensor = 0;
  uint32_t offset = 0;
};

struct LayerFunction {
  std::string symbol;
  std::string comment;  ///< what it computes, one line
  std::string body;     ///< statements
};

struct NetworkParts {
  std::string name;
  const Graph& graph;
  const Device& device;
  std::vector<PortTensor> inputs, outputs;
  std::vector<LayerFunction> functions;  ///< in execution order
  ConstantPool constants;
  SharedFunctions shared;
  std::vector<KernelSet::Kernel> kernels;
  uint32_t arena_bytes = 0;
  std::vector<PlaceablePart> placeable;
};

/// The network in the layouts that the options choose, with the transforms that follow.
LaidOutGraph laid_out(const IntegerNetwork& network, const NetworkOptions& options);

/// `<name>.h`, the documented API; `<name>_internal.h`, what the sources share.
std::string print_header(const NetworkParts& parts);
std::string print_internal_header(const NetworkParts& parts);
/// `<name>.c`: layers and invoke. `<name>_weights.c`; `<name>_kernels.S`.
std::string print_source(const NetworkParts& parts);
std::string print_weights(const NetworkParts& parts);
std::string print_kernels(const NetworkParts& parts);
/// `test/<name>_smoke.c`.
std::string print_smoke_test(const NetworkParts& parts, const SmokeTest& smoke);
std::string print_readme(const NetworkParts& parts, const std::vector<GeneratedFile>& files);

/// Adds the build files of a format and puts the sources where it wants them. package.cc.
std::vector<GeneratedFile> arrange_package(const NetworkParts& parts, PackageFormat format,
                                           std::vector<GeneratedFile> sources);
bool is_source(const GeneratedFile& file);      ///< .c or .S of the library
bool is_smoke_test(const GeneratedFile& file);  ///< of the package's test program

/// package_mlf.cc: the tree of the format, and its archive, the same bytes for the same files.
std::vector<GeneratedFile> arrange_mlf(const NetworkParts& parts, std::vector<GeneratedFile> files);
std::string make_tar(const std::vector<GeneratedFile>& files);

/// "1x49x10x1"; "scalar" for no dimensions.
std::string shape_text(const Tensor& tensor);

}  // namespace tinytune
