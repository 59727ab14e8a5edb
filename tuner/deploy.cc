#include "tinytune/deploy.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "codegen/memory_plan.h"
#include "codegen/network.h"
#include "devices/device.h"
#include "models/integer_op.h"
#include "records/log.h"
#include "tuner/fast_memory.h"
#include "tuner/fitting.h"
#include "tuner/known_records.h"
#include "tuner/layouts.h"
#include "tuner/model_state.h"
#include "tuner/network_simulation.h"
#include "tuner/tensor_files.h"

namespace tinytune {
namespace {

Result<Records> load_records(const std::optional<std::string>& path, const Device& device,
                             const MessageSink& sink) {
  if (!path) return Records();
  Result<LogContents> contents = read_log(*path);
  if (!contents) return contents.error().within("--records");
  return applicable_records(*contents, *path, device, sink);
}

/// Whether what the fastest kernels take may leave no room in the device's flash. Then kernels are
/// chosen within it; otherwise nothing has to be built to know that it fits.
bool may_overflow(const GeneratedNetwork& network, const Device& device) {
  constexpr uint64_t kOtherCode = 64 * 1024;  // of any network seen, and some
  uint64_t instructions = 0;
  for (const GeneratedFile& file : network.files) {
    if (!file.name.ends_with(".S")) continue;
    for (size_t at = 0; (at = file.contents.find("\n\t", at)) != std::string::npos; ++at)
      ++instructions;
  }
  return network.constant_bytes + 4 * instructions + kOtherCode >
         device.memory(device.rodata_memory).size_bytes;
}

/// Nobody chose this arena: why it is as large as it is.
void tell_what_arena_takes(const GeneratedNetwork& network, const MessageSink& sink) {
  const uint64_t bound = network.arena_lower_bound, rounded = kArenaAlignment;
  if (!sink || network.arena_bytes <= bound + std::max(bound / 20, rounded)) return;
  sink(MessageKind::kInfo, "the arena takes " + std::to_string(network.arena_bytes) +
                               " bytes, more than the " + std::to_string(bound) +
                               " of its tensors + 5 %: the least that can be had");
}

/// Of one inference. What kernels do does not depend on data.
Result<uint64_t> cycles_of(const Graph& graph, const GeneratedNetwork& network,
                           const Device& device) {
  TT_TRY_ASSIGN(NetworkSimulation simulation, NetworkSimulation::load(graph, network, device));
  std::vector<std::vector<uint8_t>> inputs;
  for (const int t : graph.inputs)
    inputs.emplace_back(static_cast<size_t>(graph.tensor(t).bytes()), uint8_t{0});
  TT_TRY_ASSIGN(const RunReport report, simulation.invoke(inputs));
  return report.cycles;
}

/// Places the network in fast memory. Where its constants do not all fit, kernels that widen their
/// weights may lose in flash what they win in instructions: a choice with fewer bytes is tried too.
Status place(const Model& model, const Device& device, const Records& records,
             const MemoryLimits& limits, const NetworkOptions& options, GeneratedNetwork& network) {
  const Graph& graph = model.state().graph;
  TT_TRY(place_in_fast_memory(graph, device, limits.fast_ram_bytes, network));
  const bool all_fast =
      std::find(network.fast.begin(), network.fast.end(), false) == network.fast.end();
  if (all_fast || limits.flash_bytes || limits.fast_ram_bytes == 0 ||
      device.fast_rodata_memory.empty())
    return ok_status();
  // Widening at most doubles weights. Where not even half would fit, fewer bytes still wait less.
  const uint64_t fast = device.memory(device.fast_rodata_memory).size_bytes;
  const uint64_t room = std::min(fast, limits.fast_ram_bytes.value_or(fast));
  MemoryLimits fewer = limits;
  fewer.flash_bytes = room >= network.constant_bytes / 2 ? room : network.constant_bytes * 9 / 16;
  auto other = generate_within(model.state().network, device, records, fewer, options);
  if (!other) return ok_status();  // nothing fits
  TT_TRY(place_in_fast_memory(graph, device, limits.fast_ram_bytes, *other));
  TT_TRY_ASSIGN(const uint64_t now, cycles_of(graph, network, device));
  TT_TRY_ASSIGN(const uint64_t then, cycles_of(graph, *other, device));
  if (then < now) network = std::move(*other);
  return ok_status();
}

Result<GeneratedNetwork> generate(const Model& model, const Device& device, const Records& records,
                                  LayoutChoice& layouts, NetworkOptions options,
                                  const MemoryLimits& limits, const MessageSink& sink) {
  options.name = model.info().name;
  options.layouts = layouts.source();
  const IntegerNetwork& executed = model.state().network;
  Result<GeneratedNetwork> network = generate_within(executed, device, records, limits, options);
  if (network && !limits.flash_bytes && may_overflow(*network, device)) {
    MemoryLimits within_device = limits;
    within_device.flash_bytes = device.memory(device.rodata_memory).size_bytes;
    auto fitting = generate_within(executed, device, records, within_device, options);
    if (fitting) network = std::move(fitting);  // else the linker has the last word
  }
  TT_TRY(layouts.status());
  if (!network) return network.error().within(model.path());
  if (sink)
    for (const std::string& warning : network->warnings) sink(MessageKind::kWarning, warning);
  if (!limits.ram_bytes) tell_what_arena_takes(*network, sink);
  const MemoryRegion& ram = device.memory(device.data_memory);
  if (network->arena_bytes > ram.size_bytes) {
    return Error(ErrorCode::kFailed, model.path() + " does not fit " + device.name +
                                         ": its arena takes " +
                                         std::to_string(network->arena_bytes) + " bytes, " +
                                         ram.name + " has " + std::to_string(ram.size_bytes));
  }
  const Status placed = place(model, device, records, limits, options, *network);
  if (!placed && placed.error().code() != ErrorCode::kNotFound) return placed.error();
  return network;
}

std::string untuned_layers(const GeneratedNetwork& network) {
  std::string list;
  for (const GeneratedLayer& layer : network.layers) {
    if (!layer.schedule || layer.tuned) continue;
    list += (list.empty() ? "" : ", ") + std::to_string(layer.index) + " " + layer.op;
  }
  return list;
}

/// A library that does not fit its device is no result. Without a compiler on this machine that is
/// for the firmware's own linker to find.
Status check_builds(const GeneratedNetwork& network, const Device& device,
                    const MessageSink& sink) {
  const auto elf = build_library(network, device);
  if (elf) return ok_status();
  if (elf.error().code() != ErrorCode::kNotFound) return elf.error();
  if (sink) sink(MessageKind::kInfo, "not checked whether it fits: " + elf.error().message());
  return ok_status();
}

/// The generator's first inputs, and what the reference makes of them.
Result<SmokeTest> make_smoke_test(const Model& model) {
  const Graph& graph = model.state().graph;
  SmokeTest smoke;
  TT_TRY_ASSIGN(smoke.inputs, generate_inputs(model, 1));
  TT_TRY_ASSIGN(const auto reference, run_reference(graph, smoke.inputs));
  for (const int output : graph.outputs)
    smoke.outputs.push_back(reference.at(static_cast<size_t>(output)));
  return smoke;
}

Status make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (std::filesystem::is_directory(directory)) return ok_status();
  return Error(ErrorCode::kInvalidInput,
               directory + ": cannot be made a directory" + (error ? ": " + error.message() : ""));
}

Status check_inputs(const Model& model, std::span<const std::vector<uint8_t>> inputs) {
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  if (inputs.size() != tensors.size()) {
    return Error(ErrorCode::kInvalidInput, std::to_string(inputs.size()) +
                                               " inputs given, but the model has " +
                                               std::to_string(tensors.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (static_cast<int64_t>(inputs[i].size()) == tensors[i].bytes) continue;
    return Error(ErrorCode::kInvalidInput, "input '" + tensors[i].name + "' takes " +
                                               std::to_string(tensors[i].bytes) + " bytes, not " +
                                               std::to_string(inputs[i].size()));
  }
  return ok_status();
}

/// Fills `exact` and, where it is false, says which byte differs first.
Status verify(const Model& model, std::span<const std::vector<uint8_t>> inputs, RunReport& report) {
  const Graph& graph = model.state().graph;
  TT_TRY_ASSIGN(const auto reference, run_reference(graph, inputs));
  report.exact = true;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::vector<uint8_t>& expected = reference.at(static_cast<size_t>(graph.outputs[i]));
    const std::vector<uint8_t>& got = report.outputs[i];
    if (expected == got) continue;
    report.exact = false;
    const auto at = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
    const auto offset = static_cast<size_t>(at.first - expected.begin());
    report.difference = "output " + std::to_string(i) + " byte " + std::to_string(offset);
    if (offset < expected.size() && offset < got.size()) {
      report.difference += " is " + std::to_string(got[offset]) + ", the reference has " +
                           std::to_string(expected[offset]);
    }
    break;
  }
  return ok_status();
}

std::vector<int> fused_away(const Graph& graph, std::span<const TensorDump> dumped) {
  std::set<int> ids;
  for (const Operator& op : graph.operators)
    for (int output : op.outputs) ids.insert(output);
  for (const TensorDump& tensor : dumped) ids.erase(tensor.id);
  return {ids.begin(), ids.end()};
}

}  // namespace

Result<CompileReport> compile_model(const Model& model, const std::string& device_name,
                                    const std::string& directory, const CompileOptions& options) {
  TT_TRY_ASSIGN(const Device device, load_device(device_name));
  TT_TRY_ASSIGN(const Records records, load_records(options.records, device, options.on_message));
  LayoutChoice layouts(options.layout, device, records);
  NetworkOptions package;
  package.format = options.format;
  TT_TRY_ASSIGN(package.smoke, make_smoke_test(model));
  TT_TRY_ASSIGN(const GeneratedNetwork network, generate(model, device, records, layouts, package,
                                                         options.limits, options.on_message));
  const std::string untuned = untuned_layers(network);
  if (options.require_tuned && !untuned.empty()) {
    return Error(ErrorCode::kFailed, "no usable record for layer(s) " + untuned +
                                         "; tune them first, or leave out --require-tuned");
  }
  TT_TRY(check_builds(network, device, options.on_message));
  TT_TRY(make_directory(directory));
  CompileReport report;
  report.directory = directory;
  report.arena_bytes = network.arena_bytes;
  report.arena_lower_bound = network.arena_lower_bound;
  for (const GeneratedLayer& layer : network.layers) {
    report.layers_tunable += layer.schedule ? 1 : 0;
    report.layers_tuned += layer.tuned ? 1 : 0;
  }
  for (const GeneratedFile& file : files_to_write(network, options.format)) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(file.contents.data());
    TT_TRY(write_file((std::filesystem::path(directory) / file.name).string(),
                      {bytes, file.contents.size()}));
    report.files.push_back(file.name);
  }
  if (options.on_message && options.records && !untuned.empty())
    options.on_message(MessageKind::kInfo, "default schedule for layer(s) " + untuned);
  return report;
}

Result<RunReport> run_model(const Model& model, const std::string& device_name,
                            const RunOptions& options) {
  TT_TRY_ASSIGN(const Device device, load_device(device_name));
  TT_TRY_ASSIGN(const Records records, load_records(options.records, device, options.on_message));
  std::vector<std::vector<uint8_t>> inputs = options.inputs;
  if (inputs.empty()) {
    TT_TRY_ASSIGN(inputs, generate_inputs(model, 1));
  }
  TT_TRY(check_inputs(model, inputs));
  LayoutChoice layouts(options.layout, device, records);
  TT_TRY_ASSIGN(const GeneratedNetwork network,
                generate(model, device, records, layouts, {}, options.limits, options.on_message));
  const Graph& graph = model.state().graph;
  TT_TRY_ASSIGN(NetworkSimulation simulation, NetworkSimulation::load(graph, network, device));
  TT_TRY_ASSIGN(RunReport report, simulation.invoke(inputs));
  if (options.layout != LayoutPolicy::kNhwc) report.layouts = layouts.comparison();
  if (options.verify) TT_TRY(verify(model, inputs, report));
  if (options.dump_tensors) {
    TT_TRY_ASSIGN(report.tensors, simulation.dump(inputs));
    report.fused_tensors = fused_away(graph, report.tensors);
  }
  return report;
}

}  // namespace tinytune
