#include "rpc_device/boards/simulator_board.h"

#include <algorithm>
#include <optional>
#include <string>

#include "measure/contents.h"
#include "records/measurement.h"
#include "rpc_device/boards/buffer_layout.h"
#include "rpc_device/boards/constant_store.h"
#include "simulator/simulator.h"

namespace tinytune {
namespace {

// Enough for the weights of several networks.
constexpr uint64_t kConstantRoom = uint64_t{64} << 20;

// Upper bound on instructions per cycle of all cores, so that the limit on instructions never stops
// a kernel within its cycles. A kernel beyond them may be detected only after it returns.
constexpr uint64_t kWidestIssue = 2;

LoadReport refused(LoadEnd end, std::string detail) {
  LoadReport report;
  report.end = end;
  report.detail = std::move(detail);
  return report;
}

RunEnd run_end(CallEnd end) {
  switch (end) {
    case CallEnd::kReturned:
      return RunEnd::kReturned;
    case CallEnd::kInstructionLimit:
      return RunEnd::kCycleLimit;
    case CallEnd::kFault:
    case CallEnd::kIllegalInstruction:
    case CallEnd::kMisaligned:
      break;
  }
  return RunEnd::kFault;
}

}  // namespace

struct SimulatorBoard::State {
  State(const Device& of, Simulator made)
      : device(of), simulator(std::move(made)), constants(kConstantRoom) {}

  Status load_image(std::span<const uint8_t> bytes);
  Status map_guards();
  Result<const BufferLayout*> layout_for(Guard guard);
  Status fill(const BufferLayout& layout, const RunRequest& request);
  Result<bool> call(const BufferLayout& layout, const RunRequest& request, KernelRunReport& report);
  Status compare_inputs(const BufferLayout& layout, KernelRunReport& report);

  Device device;
  Simulator simulator;
  ConstantStore constants;

  // Contents of the simulator, to skip equal writes: kernels of one task differ mostly in code.
  std::vector<uint8_t> elf;
  ElfInfo info;
  std::vector<Argument> arguments;
  std::vector<std::vector<uint8_t>> contents;  ///< of inputs and constants, by argument
  uint32_t function = 0;
  bool loaded = false;
  std::vector<uint8_t> output;
  bool returned = false;

  BufferLayout packed;                                     ///< in the data memory
  std::vector<std::pair<uint32_t, uint32_t>> guarded_for;  ///< sizes with roles, and alignments
  std::optional<GuardedLayouts> guarded;
};

Status SimulatorBoard::State::load_image(std::span<const uint8_t> bytes) {
  if (std::equal(bytes.begin(), bytes.end(), elf.begin(), elf.end())) return ok_status();
  elf.clear();
  TT_TRY_ASSIGN(info, simulator.load(bytes));
  elf.assign(bytes.begin(), bytes.end());
  return ok_status();
}

Status SimulatorBoard::State::map_guards() {
  std::vector<std::pair<uint32_t, uint32_t>> wanted;
  for (const Argument& a : arguments)
    wanted.push_back({a.size_bytes * 2 + (is_written(a.role) ? 1 : 0), a.alignment});
  if (guarded && wanted == guarded_for) return ok_status();
  simulator.unmap_extra();
  guarded = place_guarded(device, arguments);
  if (!guarded) return Error(ErrorCode::kUnsupported, "no unused addresses for guarded buffers");
  guarded_for = std::move(wanted);
  for (const BufferLayout* layout : {&guarded->at_end, &guarded->at_start})
    for (const GuardedPages& m : layout->mapped)
      TT_TRY(simulator.map(m.pages.address, m.pages.size_bytes, m.writable));
  return ok_status();
}

Result<const BufferLayout*> SimulatorBoard::State::layout_for(Guard guard) {
  if (guard == Guard::kNone) return &packed;
  TT_TRY(map_guards());
  return guard == Guard::kAtEnd ? &guarded->at_end : &guarded->at_start;
}

Status SimulatorBoard::State::fill(const BufferLayout& layout, const RunRequest& request) {
  // Restores data that a call changed, as a reset of the chip would.
  if (info.data_bytes + info.bss_bytes > 0) {
    TT_TRY_ASSIGN(info, simulator.load(elf));
  }
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (!is_written(argument.role)) {
      TT_TRY(simulator.write(layout.addresses[i], contents[i]));
      continue;
    }
    bytes.resize(argument.size_bytes);
    TT_TRY(write_contents(argument.role == BufferRole::kOutput
                              ? request.output
                              : Contents::filled_with(request.scratch),
                          bytes));
    TT_TRY(simulator.write(layout.addresses[i], bytes));
  }
  return ok_status();
}

// Returns whether the kernel returned and its sample is in the report.
Result<bool> SimulatorBoard::State::call(const BufferLayout& layout, const RunRequest& request,
                                         KernelRunReport& report) {
  CallOptions options;
  if (request.limits.cycles) options.instruction_limit = *request.limits.cycles * kWidestIssue;
  options.check_alignment = request.watch.accesses;
  options.off_limits = layout.slack;
  TT_TRY_ASSIGN(const CallReport called, simulator.call(function, layout.addresses, options));
  report.end = run_end(called.end);
  report.detail = called.detail;
  report.stack_bytes = std::max(report.stack_bytes, called.stack_bytes);
  if (report.end != RunEnd::kReturned) return false;
  if (request.limits.cycles && called.counts.cycles > *request.limits.cycles) {
    report.end = RunEnd::kCycleLimit;
    report.detail = "returned after " + std::to_string(called.counts.cycles) + " cycles, limit " +
                    std::to_string(*request.limits.cycles);
    return false;
  }
  if (!called.registers_restored) {
    report.registers_restored = false;
    report.detail = "not restored: " + called.clobbered;
  }
  TT_TRY(compare_inputs(layout, report));
  TT_TRY_ASSIGN(output, simulator.read(layout.addresses.back(), arguments.back().size_bytes));
  report.samples.push_back({called.counts.cycles, called.counts.instructions, digest_of(output)});
  return true;
}

Status SimulatorBoard::State::compare_inputs(const BufferLayout& layout, KernelRunReport& report) {
  for (size_t i = 0; i < arguments.size() && report.inputs_unchanged; ++i) {
    if (is_written(arguments[i].role)) continue;
    TT_TRY_ASSIGN(const auto now, simulator.read(layout.addresses[i], arguments[i].size_bytes));
    if (now == contents[i]) continue;
    report.inputs_unchanged = false;
    const auto at = std::mismatch(now.begin(), now.end(), contents[i].begin()).first;
    report.detail += (report.detail.empty() ? "" : "; ") + std::string("argument ") +
                     std::to_string(i) + " was changed at byte " + std::to_string(at - now.begin());
  }
  return ok_status();
}

Result<std::unique_ptr<SimulatorBoard>> SimulatorBoard::create(const Device& device) {
  TT_TRY_ASSIGN(Simulator simulator, Simulator::create(device));
  return std::unique_ptr<SimulatorBoard>(
      new SimulatorBoard(std::make_unique<State>(device, std::move(simulator))));
}

SimulatorBoard::SimulatorBoard(std::unique_ptr<State> state) : state_(std::move(state)) {}
SimulatorBoard::~SimulatorBoard() = default;

const Device& SimulatorBoard::device() const { return state_->device; }

BoardIdentity SimulatorBoard::identity() const {
  const MemoryRegion& data = state_->device.memory(state_->device.data_memory);
  return {std::string(kSimulatorSource), state_->device.clock_hz, data.address, data.size_bytes};
}

BoardCapabilities SimulatorBoard::capabilities() const {
  return {.guards = true,
          .watches_accesses = true,
          .checks_registers = true,
          .checks_inputs = true,
          .counts_instructions = true,
          .measures_stack = true,
          .limits_cycles = true,
          .limits_time = false,
          .bytes_are_cheap = true};
}

Status SimulatorBoard::keep(const Digest& digest, std::span<const uint8_t> bytes) {
  if (digest_of(bytes) != digest)
    return Error(ErrorCode::kInvalidInput, "a constant differs from its digest");
  state_->constants.keep(digest, bytes);
  return ok_status();
}

Result<LoadReport> SimulatorBoard::load(const LoadRequest& request) {
  State& state = *state_;
  state.loaded = state.returned = false;
  if (request.arguments.empty() || request.arguments.back().role != BufferRole::kOutput)
    return Error(ErrorCode::kInvalidInput, "a kernel's last argument is its output");
  LoadReport report;
  TT_TRY_ASSIGN(NamedConstants named, name_constants(state.constants, request.arguments));
  if (!named.lacking.empty()) {
    report.end = LoadEnd::kLacksConstants;
    report.lacking = std::move(named.lacking);
    return report;
  }
  if (const Status loaded = state.load_image(request.elf); !loaded)
    return refused(LoadEnd::kRefused, loaded.error().message());
  const auto symbol = state.info.symbols.find(request.symbol);
  if (symbol == state.info.symbols.end())
    return refused(LoadEnd::kRefused, "the image has no function " + request.symbol);
  auto packed = place_as_firmware_does(state.device, request.arguments,
                                       state.info.data_bytes + state.info.bss_bytes,
                                       state.info.segments, Overflow::kToFlash);
  if (!packed)
    return refused(LoadEnd::kDoesNotFit,
                   "tensors and constants exceed the " +
                       std::to_string(state.device.memory(state.device.data_memory).size_bytes) +
                       " bytes of memory '" + state.device.data_memory + "'");
  state.packed = std::move(*packed);
  state.function = symbol->second.address;
  state.arguments = request.arguments;
  state.contents = std::move(named.contents);
  state.loaded = true;
  // Maps the guards now, so that timed and guarded runs share an engine and its translations. If
  // there is no room, the first guarded run reports it.
  (void)state.map_guards();
  return report;
}

Result<KernelRunReport> SimulatorBoard::run(const RunRequest& request) {
  State& state = *state_;
  if (!state.loaded) return Error(ErrorCode::kInvalidInput, "no kernel is loaded");
  if (request.watch.accesses && request.watch.guard == Guard::kNone)
    return Error(ErrorCode::kInvalidInput, "accesses are watched between guards only");
  state.returned = false;
  for (size_t i = 0; i < state.arguments.size(); ++i) {
    if (state.arguments[i].role != BufferRole::kInput) continue;
    state.contents[i].resize(state.arguments[i].size_bytes);
    TT_TRY(write_contents(request.input, state.contents[i]));
  }
  TT_TRY_ASSIGN(const BufferLayout* layout, state.layout_for(request.watch.guard));
  KernelRunReport report;
  for (int i = 0; i < request.repeats; ++i) {
    TT_TRY(state.fill(*layout, request));
    TT_TRY_ASSIGN(state.returned, state.call(*layout, request, report));
    if (!state.returned) {
      report.samples.clear();
      break;
    }
  }
  return report;
}

Result<std::vector<uint8_t>> SimulatorBoard::read_output() {
  if (!state_->returned) return Error(ErrorCode::kInvalidInput, "no call has returned");
  return state_->output;
}

Status SimulatorBoard::reset() {
  auto simulator = Simulator::create(state_->device);
  if (!simulator) return Error(ErrorCode::kDeviceLost, simulator.error().message());
  state_ = std::make_unique<State>(state_->device, std::move(simulator).value());
  return ok_status();
}

}  // namespace tinytune
