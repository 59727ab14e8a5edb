#include "codegen/networks/network.h"

#include <algorithm>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/generation.h"
#include "codegen/networks/library_parts.h"
#include "codegen/networks/names.h"
#include "codegen/networks/network_memory.h"
#include "codegen/networks/placed_text.h"

namespace tinytune {
namespace {

Status check_outputs(const Graph& graph, const Storage& storage) {
  for (const int t : graph.outputs)
    if (!storage.buffer_of[static_cast<size_t>(t)])
      return Error(ErrorCode::kUnsupported,
                   "output t" + std::to_string(t) + " is a constant: no operator writes it");
  return ok_status();
}

// Returns the symbol of the array that a reset copies; empty: it fills with one byte.
std::string initial_array(const Tensor& variable, NetworkParts& parts) {
  const std::vector<uint8_t>& data = variable.data;
  if (std::all_of(data.begin(), data.end(),
                  [&](uint8_t byte) { return byte == reset_byte(variable); }))
    return {};
  return parts.constants.add(parts.name + "_tensor_" + std::to_string(variable.id), CType::kUint8,
                             data);
}

void describe_ports(const Graph& graph, const PlacedStorage& placed, NetworkParts& parts) {
  for (const int t : graph.inputs) parts.inputs.push_back({graph.tensor(t), placed.offset_of(t)});
  for (const int t : graph.outputs) parts.outputs.push_back({graph.tensor(t), placed.offset_of(t)});
  for (const Tensor& t : graph.tensors)
    if (t.is_variable)
      parts.state.push_back({{t, placed.offset_of(t.id)}, initial_array(t, parts)});
}

// Describes the stream of the first flow, once its function is printed.
void describe_stream(const Generation& generation, const PlacedStorage& placed,
                     NetworkParts& parts) {
  if (generation.flows.empty() || !generation.flows[0].streamed) return;
  const StripFlow& flow = generation.flows[0];
  const Tensor& input = generation.graph().tensor(*flow.streamed);
  parts.stream = {input.shape[1], flow.hop, static_cast<uint32_t>(row_bytes(input)),
                  parts.name + "_rows"};
  parts.arrival = {parts.calls.at(0).symbol,
                   placed.offset_of(input.id),
                   placed.plan.offsets[*placed.storage.progress],
                   {},
                   {}};
  say_what_strips_await(flow, input.shape[1], parts.arrival);
}

std::vector<PlacedTensor> placed_tensors(const Generation& generation,
                                         const PlacedStorage& placed) {
  const Storage& storage = placed.storage;
  std::vector<PlacedTensor> tensors;
  for (size_t t = 0; t < generation.network.graph.tensors.size(); ++t)
    if (storage.buffer_of[t] && !generation.network.altered[t] && !storage.is_window[t])
      tensors.push_back({static_cast<int>(t), placed.plan.offsets[*storage.buffer_of[t]],
                         static_cast<uint32_t>(generation.graph().tensors[t].bytes()),
                         storage.first_step[t], storage.last_step[t],
                         generation.laid_out.layout_of[t]});
  return tensors;
}

// Fills in what is known of the library beside its files.
GeneratedNetwork described(const NetworkParts& parts, const LayerKernels& kernels) {
  GeneratedNetwork network;
  network.name = parts.name;
  network.cores = parts.cores;
  network.invoke_symbol =
      parts.name + (parts.stream ? "_push_" + rows_word(*parts.stream) : "_invoke");
  network.stream = parts.stream;
  if (!parts.state.empty() || parts.stream) network.reset_symbol = parts.name + "_reset";
  network.arena_symbol = parts.name + "_arena";
  network.arena_bytes = parts.arena_bytes;
  network.placeable = parts.placeable;
  network.homes = least_homes(parts.placeable);
  for (const ConstantPool::Array& array : parts.constants.arrays())
    network.constant_bytes += array.bytes.size();
  for (const KernelSet::Kernel& kernel : parts.kernels)
    network.assembly_lines += kernel.assembly.lines;
  network.layers = kernels.layers;
  network.warnings = kernels.warnings;
  return network;
}

Result<GeneratedNetwork> generate(const Generation& generation) {
  const NetworkOptions& options = generation.options;
  const Graph& graph = generation.graph();
  const size_t steps = generation.laid_out.ops.size();
  NetworkParts parts{options.name, generation.device};
  parts.cores = options.cores;
  parts.externals = graph.externals;

  Storage storage =
      assign_storage(graph, generation.laid_out.ops, generation.flows,
                     options.share ? std::optional(options.share->state) : std::nullopt);
  TT_TRY(check_outputs(graph, storage));
  const uint32_t lower_bound = peak_live_bytes(storage.buffers);  // tensors, without scratch
  std::optional<size_t> words_of_cores;
  if (!options.splits.empty()) {
    words_of_cores = storage.buffers.size();
    storage.buffers.push_back(core_words(steps));
  }

  ArrivingLayers arriving(options, steps);
  TT_TRY_ASSIGN(LayerKernels kernels,
                choose_kernels(generation, storage, arriving, parts.constants));
  parts.kernels = kernels.kernels;
  arriving.add_buffers(storage.buffers);

  const PlacedStorage placed{storage, plan_memory(storage.buffers)};
  arriving.settle(placed.plan);
  if (words_of_cores) parts.core_words = placed.plan.offsets[*words_of_cores];
  parts.arena_bytes =
      std::max(placed.plan.arena_bytes, options.share ? options.share->arena_bytes : 0);

  describe_ports(graph, placed, parts);
  print_layers(generation, placed, arriving, kernels, parts);
  describe_stream(generation, placed, parts);
  arriving.describe(parts);
  parts.placeable = placeable_parts(parts);

  GeneratedNetwork network = described(parts, kernels);
  network.arena_lower_bound = lower_bound;
  network.strips = options.strips;
  network.early_shortcuts = options.early_shortcuts;
  network.splits = options.splits;
  if (!arriving.empty()) network.arrivals = options.arrivals;
  network.tensors = placed_tensors(generation, placed);
  network.files = files_of(parts, network.homes);
  network.stubs = print_stubs(parts);
  network.parts = std::make_shared<const LibraryParts>(
      LibraryParts{std::move(parts.kernels), parts.constants.arrays()});
  network.inputs = std::move(parts.inputs);
  network.outputs = std::move(parts.outputs);
  network.functions = std::move(parts.functions);
  network.builds = options.builds;
  return network;
}

}  // namespace

Result<GeneratedNetwork> generate_network(const IntegerNetwork& network, const Device& device,
                                          const ScheduleSource& schedules,
                                          const NetworkOptions& options) {
  if (!is_network_name(options.name))
    return Error(ErrorCode::kInvalidInput, "\"" + options.name + "\" is no name for a network");
  const LaidOutGraph executed = laid_out(network, options);
  TT_TRY_ASSIGN(const std::vector<StripFlow> flows, strip_flows(executed, options.strips));
  TT_TRY_ASSIGN(const auto splits, split_layers(executed, flows, options.splits));
  // Gaps between tensors may leave less room for decoding than estimated: tries again with less.
  const uint64_t most = options.decoding_arena_bytes;
  NetworkOptions tried = options;
  for (bool again = false;; again = true) {
    auto made = generate({network, executed, flows, splits, device, schedules, tried});
    if (!made || !options.compress_weights || made->arena_bytes <= most ||
        tried.decoding_arena_bytes == 0)
      return made;
    const uint64_t excess = made->arena_bytes - most;
    tried.decoding_arena_bytes = again ? 0 : most - std::min(most, excess);
  }
}

}  // namespace tinytune
