#include "tuner/network_simulation.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/layout.h"

namespace tinytune {
namespace {

Error failed(std::string message) { return Error(ErrorCode::kFailed, std::move(message)); }

const char* reason_of(CallEnd end) {
  switch (end) {
    case CallEnd::kReturned:
      return "returned";
    case CallEnd::kInstructionLimit:
      return "ran into the instruction limit";
    case CallEnd::kFault:
      return "faulted";
    case CallEnd::kIllegalInstruction:
      return "executed an instruction the device lacks";
    case CallEnd::kMisaligned:
      return "made a misaligned access";
  }
  return "ended";
}

}  // namespace

Result<std::vector<uint8_t>> build_library(const GeneratedNetwork& network, const Device& device) {
  Result<std::vector<uint8_t>> elf = build_network(network, device);
  if (elf) return elf;
  const std::string& all = elf.error().message();
  const ErrorCode code =
      elf.error().code() == ErrorCode::kNotFound ? ErrorCode::kNotFound : ErrorCode::kFailed;
  return Error(code, "building the library: " + all.substr(0, all.find('\n')));
}

Result<NetworkSimulation> NetworkSimulation::load(const Graph& graph,
                                                  const GeneratedNetwork& network,
                                                  const Device& device) {
  Result<Simulator> simulator = Simulator::create(device);
  if (!simulator) return simulator.error().within(device.name);
  Result<std::vector<uint8_t>> elf = build_library(network, device);
  if (!elf) return elf.error();
  NetworkSimulation simulation(graph, network, device, std::move(*simulator));
  TT_TRY_ASSIGN(simulation.elf_, simulation.simulator_.load(*elf));
  TT_TRY_ASSIGN(simulation.arena_, simulation.address_of(network.arena_symbol));
  return simulation;
}

Result<uint32_t> NetworkSimulation::address_of(const std::string& symbol) const {
  const auto at = elf_.symbols.find(symbol);
  if (at == elf_.symbols.end()) return failed("the built library has no symbol " + symbol);
  return at->second.address;
}

Result<uint32_t> NetworkSimulation::place_of(int tensor) const {
  for (const PlacedTensor& placed : network_->tensors)
    if (placed.tensor == tensor) return arena_ + placed.offset;
  return failed("tensor " + std::to_string(tensor) + " has no place in the arena");
}

const std::string& NetworkSimulation::memory_at(uint32_t address) const {
  static const std::string kNone;
  for (const MemoryRegion& memory : device_->memories)
    if (address - memory.address < memory.size_bytes) return memory.name;
  return kNone;
}

// Of the layer's kernel, or of its own code if it has none.
std::string NetworkSimulation::memory_of_code(const std::string& layer) const {
  if (network_->placeable.empty()) return "";
  std::string function = layer;
  for (const PlaceablePart& part : network_->placeable)
    if (part.code && !part.symbol.empty() &&
        std::find(part.layers.begin(), part.layers.end(), layer) != part.layers.end())
      function = part.symbol;
  return memory_at(elf_.symbols.at(function).address);
}

std::string NetworkSimulation::memory_of_weights(const std::string& layer) const {
  std::set<std::string> names;
  for (const PlaceablePart& part : network_->placeable)
    if (!part.code && std::find(part.layers.begin(), part.layers.end(), layer) != part.layers.end())
      names.insert(memory_at(elf_.symbols.at(part.symbol).address));
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : "+") + name;
  return all;
}

void NetworkSimulation::describe_placement(RunReport& report) const {
  for (const PlaceablePart& part : network_->placeable)
    if (!part.code &&
        memory_at(elf_.symbols.at(part.symbol).address) == device_->fast_rodata_memory)
      report.fast_weights_bytes += part.bytes;
  if (device_->fast_code_memory.empty()) return;
  for (const AddressRange& segment : elf_.segments)
    if (memory_at(segment.address) == device_->fast_code_memory)
      report.fast_code_bytes += segment.size_bytes;
}

Status NetworkSimulation::fill(std::span<const std::vector<uint8_t>> inputs) {
  for (size_t i = 0; i < graph_->inputs.size(); ++i) {
    TT_TRY_ASSIGN(const uint32_t address, place_of(graph_->inputs[i]));
    TT_TRY(simulator_.write(address, inputs[i]));
  }
  return ok_status();
}

Result<CallReport> NetworkSimulation::call(const std::string& symbol,
                                           std::vector<uint32_t> sections) {
  TT_TRY_ASSIGN(const uint32_t function, address_of(symbol));
  CallOptions options;
  // A whole network may take far longer than one kernel may.
  options.instruction_limit = 1'000'000'000'000;
  options.sections = std::move(sections);
  const uint32_t arguments[] = {arena_};
  TT_TRY_ASSIGN(CallReport report, simulator_.call(function, arguments, options));
  if (report.end != CallEnd::kReturned)
    return failed(symbol + " " + reason_of(report.end) + ": " + report.detail);
  if (!report.registers_restored) return failed(symbol + " did not restore " + report.clobbered);
  return report;
}

Result<TensorDump> NetworkSimulation::read(int tensor) {
  TT_TRY_ASSIGN(const uint32_t address, place_of(tensor));
  TT_TRY_ASSIGN(auto bytes,
                simulator_.read(address, static_cast<size_t>(graph_->tensor(tensor).bytes())));
  for (const PlacedTensor& placed : network_->tensors)
    if (placed.tensor == tensor && placed.layout == Layout::kNchw)
      bytes = transposed(bytes, *image_of(graph_->tensor(tensor)), Layout::kNchw);
  return TensorDump{tensor, std::move(bytes)};
}

Result<RunReport> NetworkSimulation::invoke(std::span<const std::vector<uint8_t>> inputs) {
  std::vector<uint32_t> sections;
  for (const GeneratedLayer& layer : network_->layers) {
    if (layer.symbol.empty() || layer.index == kTransformIndex) continue;
    TT_TRY_ASSIGN(const uint32_t address, address_of(layer.symbol));
    sections.push_back(address);
  }
  TT_TRY(fill(inputs));
  TT_TRY_ASSIGN(const CallReport call_report, call(network_->invoke_symbol, sections));
  if (call_report.return_value != 0) {
    return failed(network_->invoke_symbol + " returned " +
                  std::to_string(call_report.return_value));
  }

  RunReport report;
  report.instructions = report.overhead_instructions = call_report.counts.instructions;
  report.cycles = call_report.counts.cycles;
  report.clock_hz = device_->clock_hz;
  report.arena_bytes = network_->arena_bytes;
  report.arena_lower_bound = network_->arena_lower_bound;
  report.stack_bytes = call_report.stack_bytes;
  report.flash_bytes = elf_.code_bytes + elf_.data_bytes;
  report.fetch_wait_cycles = call_report.counts.fetch_wait_cycles;
  report.read_wait_cycles = call_report.counts.read_wait_cycles;
  describe_placement(report);
  size_t section = 0;
  for (const GeneratedLayer& layer : network_->layers) {
    if (layer.index == kTransformIndex) continue;
    LayerCost cost;
    cost.index = layer.index;
    cost.op = layer.op;
    cost.macs = layer.macs;
    cost.macs_executed = layer.macs_executed;
    cost.tuned = layer.tuned;
    cost.fused_into = layer.fused_into;
    if (layer.layout == Layout::kNchw) cost.layout = LayoutPolicy::kNchw;
    if (!layer.symbol.empty()) {
      const Counts& counts = call_report.sections.at(section++);
      cost.instructions = counts.instructions;
      cost.cycles = counts.cycles;
      cost.multiplies = counts.multiplies;
      cost.loads = counts.loads;
      cost.stores = counts.stores;
      cost.branches_taken = counts.branches_taken;
      cost.fetch_wait_cycles = counts.fetch_wait_cycles;
      cost.read_wait_cycles = counts.read_wait_cycles;
      cost.code_memory = memory_of_code(layer.symbol);
      cost.weights_memory = memory_of_weights(layer.symbol);
      report.overhead_instructions -= counts.instructions;
    }
    report.layers.push_back(std::move(cost));
  }
  std::sort(report.layers.begin(), report.layers.end(),
            [](const LayerCost& a, const LayerCost& b) { return a.index < b.index; });
  for (int output : graph_->outputs) {
    TT_TRY_ASSIGN(TensorDump tensor, read(output));
    report.outputs.push_back(std::move(tensor.bytes));
  }
  return report;
}

Result<std::vector<Counts>> NetworkSimulation::count(std::span<const std::vector<uint8_t>> inputs,
                                                     std::span<const std::string> functions) {
  std::vector<uint32_t> sections;
  for (const std::string& function : functions) {
    TT_TRY_ASSIGN(const uint32_t address, address_of(function));
    sections.push_back(address);
  }
  TT_TRY(fill(inputs));
  TT_TRY_ASSIGN(CallReport report, call(network_->invoke_symbol, sections));
  return std::move(report.sections);
}

Result<std::vector<TensorDump>> NetworkSimulation::dump(
    std::span<const std::vector<uint8_t>> inputs) {
  TT_TRY(fill(inputs));
  std::map<int, TensorDump> dumps;
  for (int input : graph_->inputs) {
    TT_TRY_ASSIGN(dumps[input], read(input));
  }
  for (size_t step = 0; step < network_->layers.size(); ++step) {
    const GeneratedLayer& layer = network_->layers[step];
    if (!layer.symbol.empty()) TT_TRY(call(layer.symbol, {}));
    for (const PlacedTensor& placed : network_->tensors) {
      if (placed.first_step != static_cast<int>(step) || dumps.contains(placed.tensor)) continue;
      TT_TRY_ASSIGN(dumps[placed.tensor], read(placed.tensor));
    }
  }
  std::vector<TensorDump> all;
  for (auto& [id, tensor] : dumps) all.push_back(std::move(tensor));
  return all;
}

}  // namespace tinytune
