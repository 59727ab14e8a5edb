#include "deploy/execution/network_simulation.h"

#include <map>
#include <utility>

#include "codegen/networks/layout.h"
#include "models/control_flow.h"

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

Result<BuiltNetwork> build_library(const GeneratedNetwork& network, const Device& device) {
  Result<BuiltNetwork> built = build_network(network, device);
  if (built) return built;
  const std::string& all = built.error().message();
  const ErrorCode code =
      built.error().code() == ErrorCode::kNotFound ? ErrorCode::kNotFound : ErrorCode::kFailed;
  if (built.error().code() == ErrorCode::kInvalidInput) return Error(code, all);  // does not fit
  return Error(code, "building the library: " + all.substr(0, all.find('\n')));
}

Result<NetworkSimulation> NetworkSimulation::load(const Graph& graph,
                                                  const GeneratedNetwork& network,
                                                  const Device& device) {
  if (const auto able = Simulator::create(device); !able) return able.error();
  TT_TRY_ASSIGN(const BuiltNetwork built, build_library(network, device));
  return load(graph, network, device, built);
}

Result<NetworkSimulation> NetworkSimulation::load(const Graph& graph,
                                                  const GeneratedNetwork& network,
                                                  const Device& device, const BuiltNetwork& built) {
  Result<Simulator> simulator = Simulator::create(device);
  if (!simulator) return simulator.error();
  NetworkSimulation simulation(graph, network, device, std::move(*simulator));
  simulation.footprint_ = built.footprint;
  TT_TRY_ASSIGN(simulation.elf_, simulation.simulator_.load(built.elf));
  TT_TRY_ASSIGN(simulation.arena_, simulation.address_of(network.arena_symbol));
  TT_TRY(simulation.reset());
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

Status NetworkSimulation::reset() {
  if (network_->reset_symbol.empty()) return ok_status();
  is_window_full_ = false;
  const Result<CallReport> report = call(network_->reset_symbol, {});
  return report ? ok_status() : Status(report.error());
}

Status NetworkSimulation::fill(std::span<const std::vector<uint8_t>> inputs) {
  if (network_->stream) {
    TT_TRY_ASSIGN(const uint32_t rows, address_of(network_->stream->rows_symbol));
    return simulator_.write(rows, inputs[0]);
  }
  for (size_t i = 0; i < graph_->inputs.size(); ++i) {
    TT_TRY_ASSIGN(const uint32_t address, place_of(graph_->inputs[i]));
    TT_TRY(simulator_.write(address, inputs[i]));
  }
  return ok_status();
}

Result<CallReport> NetworkSimulation::call(const std::string& symbol,
                                           std::vector<uint32_t> sections,
                                           std::vector<CorePair> pairs) {
  TT_TRY_ASSIGN(const uint32_t function, address_of(symbol));
  CallOptions options;
  // A whole network may take far longer than the default limit for one kernel.
  options.instruction_limit = 1'000'000'000'000;
  options.sections = std::move(sections);
  options.pairs = std::move(pairs);
  if (network_->arrivals) options.arrival = network_->arrivals->way;
  std::vector<uint32_t> arguments = {arena_};
  if (network_->stream && symbol == network_->invoke_symbol) {  // passes all missing rows at once
    const RowStream& stream = *network_->stream;
    const auto rows = static_cast<uint32_t>(stream.rows);
    const uint32_t missing = is_window_full_ ? static_cast<uint32_t>(stream.hop) : rows;
    TT_TRY_ASSIGN(const uint32_t first, address_of(stream.rows_symbol));
    arguments.insert(arguments.end(), {first + (rows - missing) * stream.row_bytes, missing});
    is_window_full_ = stream.hop > 0;
  }
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
  if (has_control_flow(*graph_))
    return Error(ErrorCode::kUnsupported,
                 "a network with IF or WHILE is run as a whole: its tensors are not dumped");
  TT_TRY(reset());
  TT_TRY(fill(inputs));
  std::map<int, TensorDump> dumps;
  for (int input : graph_->inputs) {
    TT_TRY_ASSIGN(dumps[input], read(input));
  }
  for (size_t step = 0; step < network_->layers.size(); ++step) {
    const GeneratedLayer& layer = network_->layers[step];
    for (const std::string& function : layer.functions()) TT_TRY(call(function, {}));
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
