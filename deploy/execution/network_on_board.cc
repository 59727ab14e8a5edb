#include "deploy/execution/network_on_board.h"

#include <memory>

#include "codegen/networks/layout.h"
#include "deploy/execution/network_simulation.h"
#include "rpc_device/boards/board_image.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {
namespace {

// Generous, because a whole network may take long on a board that is a program.
constexpr uint32_t kCallLimitMs = 300'000;

Error failed(std::string message) { return Error(ErrorCode::kFailed, std::move(message)); }

class NetworkOnBoard {
 public:
  NetworkOnBoard(const Graph& graph, const GeneratedNetwork& network, const Device& device,
                 RemoteCore& core)
      : graph_(graph), network_(network), device_(device), core_(core) {}

  Status load();
  const Footprint& footprint() const { return footprint_; }
  Status fill(std::span<const std::vector<uint8_t>> inputs);
  /// Returns the cycles of one call.
  Result<uint64_t> call(const std::string& symbol);
  Result<std::vector<uint8_t>> read(int tensor);

 private:
  Result<std::vector<Digest>> send_image();
  Result<const PlacedTensor*> place_of(int tensor) const;

  const Graph& graph_;
  const GeneratedNetwork& network_;
  const Device& device_;
  RemoteCore& core_;
  BoardImage image_;
  Footprint footprint_;
  uint32_t arena_ = 0;
};

Status NetworkOnBoard::load() {
  TT_TRY_ASSIGN(const BuiltNetwork built, build_library(network_, device_));
  footprint_ = built.footprint;
  TT_TRY_ASSIGN(image_, read_image(built.elf, device_));
  const auto arena = image_.address_of(network_.arena_symbol);
  if (!arena) return failed("the built library has no symbol " + network_.arena_symbol);
  arena_ = *arena;
  const auto there = send_image();
  if (!there && there.error().code() == ErrorCode::kInvalidInput)
    return failed("the library does not fit the board's RAM: " + there.error().message());
  if (!there) return there.error();
  for (size_t i = 0; i < image_.segments.size(); ++i)
    if ((*there)[i] != digest_of(image_.segments[i].bytes))
      return failed("the board's memory does not hold what was written to it");
  return ok_status();
}

// Writes the image and returns the digests of the bytes that the board then holds.
Result<std::vector<Digest>> NetworkOnBoard::send_image() {
  std::vector<AddressRange> ranges;
  for (const ImageSegment& segment : image_.segments) {
    TT_TRY(core_.write(segment.address, segment.bytes));
    ranges.push_back({segment.address, static_cast<uint32_t>(segment.bytes.size())});
  }
  return core_.digests(ranges);
}

Result<const PlacedTensor*> NetworkOnBoard::place_of(int tensor) const {
  for (const PlacedTensor& placed : network_.tensors)
    if (placed.tensor == tensor) return &placed;
  return failed("tensor " + std::to_string(tensor) + " has no place in the arena");
}

Status NetworkOnBoard::fill(std::span<const std::vector<uint8_t>> inputs) {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    TT_TRY_ASSIGN(const PlacedTensor* place, place_of(graph_.inputs[i]));
    TT_TRY(core_.write(arena_ + place->offset, inputs[i]));
  }
  return ok_status();
}

Result<uint64_t> NetworkOnBoard::call(const std::string& symbol) {
  const auto function = image_.address_of(symbol);
  if (!function) return failed("the built library has no symbol " + symbol);
  TT_TRY_ASSIGN(const CoreReturn done, core_.call({*function, {arena_}, {{}, kCallLimitMs}, {}}));
  if (done.end != RunEnd::kReturned) return failed(symbol + " on the board: " + done.detail);
  if (!done.registers_restored)
    return failed(symbol + " on the board did not restore " + done.clobbered);
  return done.cycles;
}

Result<std::vector<uint8_t>> NetworkOnBoard::read(int tensor) {
  TT_TRY_ASSIGN(const PlacedTensor* place, place_of(tensor));
  TT_TRY_ASSIGN(auto bytes, core_.read(arena_ + place->offset,
                                       static_cast<uint32_t>(graph_.tensor(tensor).bytes())));
  if (place->layout != Layout::kNchw) return bytes;
  return transposed(bytes, *image_of(graph_.tensor(tensor)), Layout::kNchw);
}

// Invokes the whole network once, then each layer separately.
Result<BoardRun> run(NetworkOnBoard& board, const Graph& graph, const GeneratedNetwork& network,
                     std::span<const std::vector<uint8_t>> inputs) {
  TT_TRY(board.fill(inputs));
  BoardRun run;
  TT_TRY_ASSIGN(run.cycles, board.call(network.invoke_symbol));
  for (const int output : graph.outputs) {
    TT_TRY_ASSIGN(auto bytes, board.read(output));
    run.outputs.push_back(std::move(bytes));
  }
  TT_TRY(board.fill(inputs));
  for (const GeneratedLayer& layer : network.layers) {
    if (layer.symbol.empty()) continue;
    uint64_t cycles = 0;
    for (const std::string& function : layer.functions()) {  // one after the other, on one core
      TT_TRY_ASSIGN(const uint64_t part, board.call(function));
      cycles += part;
    }
    if (layer.index != kTransformIndex) run.layer_cycles[layer.index] += cycles;
  }
  return run;
}

}  // namespace

Result<BoardRun> run_on_board(const std::string& address_text, const Graph& graph,
                              const GeneratedNetwork& network, const Device& device,
                              std::span<const std::vector<uint8_t>> inputs) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(address_text));
  TT_TRY_ASSIGN(const Device on, load_device(address.device));
  if (on.name != device.name)
    return Error(ErrorCode::kInvalidInput,
                 "--on names device " + on.name + ", the network is generated for " + device.name);
  TT_TRY_ASSIGN(const auto core, open_core(address, device));
  NetworkOnBoard board(graph, network, device, *core);
  TT_TRY(board.load());
  TT_TRY_ASSIGN(BoardRun done, run(board, graph, network, inputs));
  done.id = core->traits().id;
  return done;
}

Result<RunReport> invoke_on_board(const std::string& address_text, const Graph& graph,
                                  const GeneratedNetwork& network, const Device& device,
                                  std::span<const std::vector<uint8_t>> inputs) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(address_text));
  TT_TRY_ASSIGN(const auto core, open_core(address, device));
  NetworkOnBoard board(graph, network, device, *core);
  TT_TRY(board.load());
  TT_TRY_ASSIGN(BoardRun done, run(board, graph, network, inputs));
  RunReport report;
  report.footprint = board.footprint();
  report.footprint.cycles = done.cycles;
  report.clock_hz = device.clock_hz;
  report.arena_lower_bound = network.arena_lower_bound;
  report.layers = layers_of(network);
  for (LayerCost& layer : report.layers)
    if (!layer.fused_into) layer.cycles = done.layer_cycles[layer.index];
  report.arena = timeline_of(network);
  report.outputs = std::move(done.outputs);
  return report;
}

}  // namespace tinytune
