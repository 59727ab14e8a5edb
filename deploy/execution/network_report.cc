// NetworkSimulation::invoke(): one call of the whole network, reported layer by layer.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "codegen/networks/layout.h"
#include "deploy/execution/network_simulation.h"
#include "models/control_flow.h"

namespace tinytune {
namespace {

bool is_counted(const GeneratedLayer& layer) {
  return !layer.symbol.empty() && layer.index != kTransformIndex;
}

bool is_shared(const GeneratedLayer& layer) { return !layer.other_symbol.empty(); }

// Rounds up to the stack alignment: the lowest words of a frame need not be written, so the depth
// seen by writes may be too small.
uint64_t aligned_stack(uint64_t written_bytes, CoreFamily family) {
  const uint64_t alignment = family == CoreFamily::kRiscv32 ? 16 : 8;
  return (written_bytes + alignment - 1) / alignment * alignment;
}

LayerCost uncounted(const GeneratedLayer& layer) {
  LayerCost cost;
  cost.index = layer.index;
  cost.op = layer.op;
  cost.macs = layer.macs;
  cost.macs_executed = layer.macs_executed;
  cost.tuned = layer.tuned;
  cost.fused_into = layer.fused_into;
  if (layer.layout == Layout::kNchw) cost.layout = LayoutPolicy::kNchw;
  return cost;
}

LayerCost counted(const GeneratedLayer& layer, const Counts& counts) {
  LayerCost cost = uncounted(layer);
  cost.instructions = counts.instructions;
  cost.cycles = counts.cycles;
  cost.multiplies = counts.multiplies;
  cost.loads = counts.loads;
  cost.stores = counts.stores;
  cost.branches_taken = counts.branches_taken;
  cost.fetch_wait_cycles = counts.fetch_wait_cycles;
  cost.read_wait_cycles = counts.read_wait_cycles;
  return cost;
}

std::set<std::string> counted_functions(const GeneratedNetwork& network) {
  std::set<std::string> functions;
  for (const GeneratedLayer& layer : network.layers)
    if (is_counted(layer))
      for (std::string& function : layer.functions()) functions.insert(std::move(function));
  return functions;
}

// Returns the pairs of functions that two cores run together. Layers with equal code share a pair.
std::vector<CorePair> pairs_of(const GeneratedNetwork& network) {
  const std::set<std::string> functions = counted_functions(network);
  const auto section_of = [&](const std::string& symbol) {
    return static_cast<size_t>(std::distance(functions.begin(), functions.find(symbol)));
  };
  std::map<size_t, size_t> pairs;
  for (const GeneratedLayer& layer : network.layers)
    if (is_shared(layer)) pairs[section_of(layer.symbol)] = section_of(layer.other_symbol);
  std::vector<CorePair> all;
  for (const auto& [first, second] : pairs) all.push_back({first, second});
  return all;
}

void sort_as_model(std::vector<LayerCost>& layers) {
  std::sort(layers.begin(), layers.end(),
            [](const LayerCost& a, const LayerCost& b) { return a.index < b.index; });
}

}  // namespace

std::vector<LayerCost> layers_of(const GeneratedNetwork& network) {
  std::vector<LayerCost> layers;
  for (const GeneratedLayer& layer : network.layers)
    if (layer.index != kTransformIndex) layers.push_back(uncounted(layer));
  sort_as_model(layers);
  return layers;
}

const std::string& NetworkSimulation::memory_at(uint32_t address) const {
  static const std::string kNone;
  for (const MemoryRegion& memory : device_->memories)
    if (address - memory.address < memory.size_bytes) return memory.name;
  return kNone;
}

// A layer's code is its kernel, or the layer function if it has none.
std::map<std::string, NetworkSimulation::Homes> NetworkSimulation::homes() const {
  std::map<std::string, Homes> all;
  if (network_->placeable.empty()) return all;
  for (const LayerFunction& function : network_->functions)
    all[function.symbol].code = memory_at(elf_.symbols.at(function.symbol).address);
  std::map<std::string, std::set<std::string>> weights;
  for (const PlaceablePart& part : network_->placeable) {
    if (part.symbol.empty()) continue;
    const std::string& memory = memory_at(elf_.symbols.at(part.symbol).address);
    for (const std::string& layer : part.layers) {
      if (part.code)
        all[layer].code = memory;
      else
        weights[layer].insert(memory);
    }
  }
  for (const auto& [layer, memories] : weights)
    for (const std::string& memory : memories)
      all[layer].weights += (all[layer].weights.empty() ? "" : "+") + memory;
  return all;
}

uint64_t NetworkSimulation::cycles_of(const JoinedVisit& joined) const {
  return joined.cycles + device_->fork_join_cycles;
}

/// Describes the layers in the model's order. Transforms between layouts belong to no layer and are
/// counted as overhead.
void NetworkSimulation::describe_layers(const CallReport& call_report, RunReport& report) const {
  const std::map<std::string, Homes> homes_of = homes();
  size_t visit = 0;
  // If rows of the input arrive, the first function is called once per strip.
  const auto functions = static_cast<size_t>(
      std::count_if(network_->layers.begin(), network_->layers.end(), is_counted));
  size_t strips = network_->stream ? call_report.visits.size() - functions + 1 : 1;
  // With IF and WHILE, visits differ from layers in order and number: all calls of a function are
  // attributed to the first layer that it computes.
  std::map<std::string, Counts> calls_of;
  const bool branches = has_control_flow(*graph_);
  std::map<std::string, uint64_t> joined_of;  // by a pair's first function
  const std::vector<CorePair> pairs = pairs_of(*network_);
  const std::set<std::string> names = counted_functions(*network_);
  for (const JoinedVisit& joined : call_report.joined)
    joined_of[*std::next(names.begin(), static_cast<ptrdiff_t>(pairs.at(joined.pair).first))] +=
        cycles_of(joined);
  size_t joined_visit = 0;
  size_t section = 0;
  for (const std::string& function : names) calls_of[function] = call_report.sections.at(section++);
  for (const GeneratedLayer& layer : network_->layers) {
    if (!is_counted(layer)) {
      if (layer.index != kTransformIndex) report.layers.push_back(uncounted(layer));
      continue;
    }
    Counts counts;
    if (branches) std::swap(counts, calls_of[layer.symbol]);
    if (branches && is_shared(layer)) {
      counts += std::exchange(calls_of[layer.other_symbol], {});
      counts.cycles = std::exchange(joined_of[layer.symbol], 0);
    }
    if (!layer.before_symbol.empty()) counts += call_report.visits.at(visit++).counts;
    const uint64_t before = counts.cycles;
    if (is_shared(layer)) strips = 2;  // two halves
    for (; strips > 0 && !branches; --strips) counts += call_report.visits.at(visit++).counts;
    strips = 1;  // for all later layers
    if (is_shared(layer) && !branches)
      counts.cycles = before + cycles_of(call_report.joined.at(joined_visit++));
    report.overhead_instructions -= counts.instructions;
    report.layers.push_back(counted(layer, counts));
    if (is_shared(layer)) report.layers.back().cores = 2;
    report.layers.back().arriving_blocks = layer.arriving_blocks;
    const auto home = homes_of.find(layer.symbol);
    if (home == homes_of.end()) continue;
    report.layers.back().code_memory = home->second.code;
    report.layers.back().weights_memory = home->second.weights;
  }
  sort_as_model(report.layers);
}

ArenaTimeline timeline_of(const GeneratedNetwork& network) {
  ArenaTimeline timeline;
  for (const GeneratedLayer& layer : network.layers) timeline.steps.push_back(layer.index);
  for (const PlacedTensor& t : network.tensors)
    timeline.tenants.push_back({t.tensor, t.offset, t.bytes, t.first_step, t.last_step});
  return timeline;
}

// Returns the cycles with shared layers in parallel: the simulator ran the two halves one after the
// other, so their cycles are replaced by those of the pair.
uint64_t NetworkSimulation::overlapped_cycles(const CallReport& call_report) const {
  uint64_t cycles = call_report.counts.cycles;
  for (const CorePair& pair : pairs_of(*network_))
    cycles -=
        call_report.sections.at(pair.first).cycles + call_report.sections.at(pair.second).cycles;
  for (const JoinedVisit& joined : call_report.joined) cycles += cycles_of(joined);
  return cycles;
}

Result<RunReport> NetworkSimulation::invoke(std::span<const std::vector<uint8_t>> inputs) {
  std::vector<uint32_t> sections;
  for (const std::string& function : counted_functions(*network_)) {
    TT_TRY_ASSIGN(const uint32_t address, address_of(function));
    sections.push_back(address);
  }
  TT_TRY(fill(inputs));
  TT_TRY_ASSIGN(const CallReport call_report,
                call(network_->invoke_symbol, sections, pairs_of(*network_)));
  if (!call_report.race.empty())
    return Error(ErrorCode::kFailed, network_->name + ": cores race, " + call_report.race);
  if (call_report.return_value != 0) {
    return Error(ErrorCode::kFailed,
                 network_->invoke_symbol + " returned " + std::to_string(call_report.return_value));
  }
  RunReport report;
  report.instructions = report.overhead_instructions = call_report.counts.instructions;
  footprint_.cycles = overlapped_cycles(call_report);
  // A second core's stack is as deep as the first one's.
  footprint_.stacks = call_report.joined.empty() ? 1 : 2;
  const auto stacks = static_cast<uint64_t>(footprint_.stacks);
  footprint_.stack_bytes =  // of the deepest call so far; if frames arrive, it may be the first
      std::max(footprint_.stack_bytes,
               stacks * aligned_stack(call_report.stack_bytes, device_->target.family));
  report.footprint = footprint_;
  report.clock_hz = device_->clock_hz;
  report.arena_lower_bound = network_->arena_lower_bound;
  report.fetch_wait_cycles = call_report.counts.fetch_wait_cycles;
  report.read_wait_cycles = call_report.counts.read_wait_cycles;
  describe_layers(call_report, report);
  report.arena = timeline_of(*network_);
  for (int output : graph_->outputs) {
    TT_TRY_ASSIGN(TensorDump tensor, read(output));
    report.outputs.push_back(std::move(tensor.bytes));
  }
  return report;
}

}  // namespace tinytune
