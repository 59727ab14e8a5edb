#include "tests/random_graphs/network_run.h"

#include <algorithm>

#include "codegen/networks/layout.h"
#include "models/control_flow.h"

namespace tinytune::bench {
namespace {

constexpr uint8_t kPoison = 0xa5;
constexpr uint32_t kGuardBytes = 256;

Error failed(std::string why) { return Error(ErrorCode::kFailed, std::move(why)); }

const PlacedTensor* place_of(const GeneratedNetwork& network, int tensor) {
  for (const PlacedTensor& placed : network.tensors)
    if (placed.tensor == tensor) return &placed;
  return nullptr;
}

}  // namespace

Result<NetworkRun> NetworkRun::load(const Graph& graph, const GeneratedNetwork& network,
                                    const Device& device, std::span<const uint8_t> elf) {
  TT_TRY_ASSIGN(Simulator simulator, Simulator::create(device));
  NetworkRun run(graph, network, std::move(simulator));
  TT_TRY_ASSIGN(run.image_, run.simulator_.load(elf));
  TT_TRY_ASSIGN(run.arena_, run.address_of(network.arena_symbol));
  return run;
}

Result<uint32_t> NetworkRun::address_of(const std::string& symbol) const {
  const auto at = image_.symbols.find(symbol);
  if (at == image_.symbols.end()) return failed("no symbol " + symbol);
  return at->second.address;
}

Status NetworkRun::fill(std::span<const std::vector<uint8_t>> inputs) {
  const std::vector<uint8_t> poison(network_->arena_bytes, kPoison);
  TT_TRY(simulator_.write(arena_, poison));
  if (!network_->reset_symbol.empty()) TT_TRY(call(network_->reset_symbol));
  return give(inputs);
}

Status NetworkRun::give(std::span<const std::vector<uint8_t>> inputs) {
  if (network_->stream) {
    TT_TRY_ASSIGN(const uint32_t rows, address_of(network_->stream->rows_symbol));
    return simulator_.write(rows, inputs[0]);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PlacedTensor* placed = place_of(*network_, graph_->inputs[i]);
    if (placed == nullptr) return failed("input " + std::to_string(i) + " has no place");
    TT_TRY(simulator_.write(arena_ + placed->offset, inputs[i]));
  }
  return ok_status();
}

// Shortens the guard to the end of a symbol before the arena, such as weights in fast memory.
uint32_t NetworkRun::guard_start() const {
  uint32_t start = arena_ - kGuardBytes;
  for (const auto& [name, range] : image_.symbols)
    if (range.address < arena_) start = std::max(start, range.address + range.size);
  return std::min(start, arena_);
}

// Shortens the guard to a symbol behind the arena: an arriving input's rows may stand there.
uint32_t NetworkRun::guard_end() const {
  const uint32_t arena_end = arena_ + network_->arena_bytes;
  uint32_t end = arena_end + kGuardBytes;
  if (!network_->stream) return end;
  for (const auto& [name, range] : image_.symbols)
    if (range.address >= arena_end) end = std::min(end, range.address);
  return end;
}

Status NetworkRun::invoke() {
  if (network_->stream) return push_rows();
  return call(network_->invoke_symbol);
}

// Pushes one row, then two, up to five at a time, and then starts again at one.
Status NetworkRun::push_rows() {
  constexpr uint32_t kMoreRows = 3;
  constexpr int kMostAtATime = 5;
  const RowStream& stream = *network_->stream;
  TT_TRY_ASSIGN(const uint32_t rows, address_of(stream.rows_symbol));
  int count = 0;
  for (int row = 0; row < stream.rows; row += count) {
    count = std::min(count % kMostAtATime + 1, stream.rows - row);
    const uint32_t arguments[] = {arena_, rows + static_cast<uint32_t>(row) * stream.row_bytes,
                                  static_cast<uint32_t>(count)};
    TT_TRY_ASSIGN(const uint32_t status, call(network_->invoke_symbol, arguments));
    if (status != (row + count < stream.rows ? kMoreRows : 0))
      return failed(network_->invoke_symbol + " returned " + std::to_string(status) + " at row " +
                    std::to_string(row));
  }
  return ok_status();
}

Status NetworkRun::call(const std::string& symbol) {
  const uint32_t arguments[] = {arena_};
  TT_TRY_ASSIGN(const uint32_t status, call(symbol, arguments));
  if (symbol == network_->invoke_symbol && status != 0)
    return failed(symbol + " returned " + std::to_string(status));
  return ok_status();
}

Result<uint32_t> NetworkRun::call(const std::string& symbol, std::span<const uint32_t> arguments) {
  TT_TRY_ASSIGN(const uint32_t function, address_of(symbol));
  CallOptions options;
  // Checked even for cores that allow unaligned words: their device files say +strict-align.
  options.check_alignment = true;
  if (network_->arrivals) options.arrival = network_->arrivals->way;
  options.off_limits = {
      {guard_start(), arena_ - guard_start()},
      {arena_ + network_->arena_bytes, guard_end() - arena_ - network_->arena_bytes}};
  TT_TRY_ASSIGN(const CallReport report, simulator_.call(function, arguments, options));
  if (report.end != CallEnd::kReturned) return failed(symbol + ": " + report.detail);
  if (!report.registers_restored) return failed(symbol + " did not restore " + report.clobbered);
  return report.return_value;
}

Result<std::vector<uint8_t>> NetworkRun::read(const PlacedTensor& placed) const {
  const Tensor& tensor = graph_->tensor(placed.tensor);
  TT_TRY_ASSIGN(auto bytes,
                simulator_.read(arena_ + placed.offset, static_cast<size_t>(tensor.bytes())));
  if (placed.layout == Layout::kNchw) bytes = transposed(bytes, *image_of(tensor), Layout::kNchw);
  return bytes;
}

Status NetworkRun::keep(int step, Computed& computed) {
  for (const PlacedTensor& placed : network_->tensors) {
    const bool is_state = graph_->tensor(placed.tensor).is_variable;  // read after each step
    if (placed.first_step != step && !is_state) continue;
    TT_TRY_ASSIGN(computed.tensors[placed.tensor], read(placed));
  }
  return ok_status();
}

Result<Computed> NetworkRun::run(std::span<const std::vector<uint8_t>> inputs) {
  Computed computed;
  TT_TRY(fill(inputs));
  const bool apart = !network_->stream && !has_control_flow(*graph_);  // layer by layer
  if (apart) TT_TRY(keep(-1, computed));
  for (size_t step = 0; step < network_->layers.size() && apart; ++step) {
    for (const std::string& function : network_->layers[step].functions()) TT_TRY(call(function));
    TT_TRY(keep(static_cast<int>(step), computed));
  }
  TT_TRY(fill(inputs));
  TT_TRY(invoke());
  TT_TRY_ASSIGN(computed.outputs, outputs());
  TT_TRY(refuse_races(inputs));
  if (network_->reset_symbol.empty()) return computed;
  TT_TRY(give(inputs));
  TT_TRY(invoke());
  TT_TRY_ASSIGN(computed.later_outputs, outputs());
  return computed;
}

// Runs invoke once more and fails if two halves of a shared layer access the same bytes. The arena
// is then as after any invoke.
Status NetworkRun::refuse_races(std::span<const std::vector<uint8_t>> inputs) {
  CallOptions options;
  for (const GeneratedLayer& layer : network_->layers) {
    if (layer.other_symbol.empty()) continue;
    for (const std::string& symbol : {layer.symbol, layer.other_symbol}) {
      TT_TRY_ASSIGN(const uint32_t address, address_of(symbol));
      options.sections.push_back(address);
    }
    options.pairs.push_back({options.sections.size() - 2, options.sections.size() - 1});
  }
  if (options.pairs.empty()) return ok_status();
  if (network_->arrivals) options.arrival = network_->arrivals->way;
  TT_TRY(fill(inputs));
  TT_TRY_ASSIGN(const uint32_t function, address_of(network_->invoke_symbol));
  TT_TRY_ASSIGN(const CallReport report, simulator_.call(function, {&arena_, 1}, options));
  if (!report.race.empty()) return failed("cores race: " + report.race);
  return ok_status();
}

Result<std::vector<std::vector<uint8_t>>> NetworkRun::outputs() const {
  std::vector<std::vector<uint8_t>> all;
  for (size_t i = 0; i < graph_->outputs.size(); ++i) {
    const PlacedTensor* placed = place_of(*network_, graph_->outputs[i]);
    if (placed == nullptr) return failed("output " + std::to_string(i) + " has no place");
    TT_TRY_ASSIGN(auto bytes, read(*placed));
    all.push_back(std::move(bytes));
  }
  return all;
}

}  // namespace tinytune::bench
