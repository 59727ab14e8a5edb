#include "rpc_device/simulator_board.h"

#include <algorithm>
#include <optional>
#include <string>

#include "rpc_device/buffer_layout.h"
#include "simulator/simulator.h"

namespace tinytune {

struct SimulatorBoard::State {
  State(const Device& of, Simulator made) : device(of), simulator(std::move(made)) {}

  Status load(const BoardCall& call);
  Status map_guards(std::span<const CallBuffer> buffers);
  Result<BoardReport> run(const BoardCall& call, const BufferLayout& layout);

  Device device;
  Simulator simulator;
  // What the simulator holds now: consecutive calls differ in data and little else.
  std::vector<uint8_t> elf;
  ElfInfo info;
  std::vector<std::pair<size_t, uint32_t>> guarded_for;  // sizes and alignments
  std::optional<GuardedLayouts> guarded;
};

namespace {

BoardReport refused(CallStatus status, std::string detail) {
  BoardReport report;
  report.status = status;
  report.detail = std::move(detail);
  return report;
}

CallStatus status_of(CallEnd end) {
  switch (end) {
    case CallEnd::kReturned:
      return CallStatus::kReturned;
    case CallEnd::kInstructionLimit:
      return CallStatus::kLimit;
    case CallEnd::kFault:
    case CallEnd::kIllegalInstruction:
    case CallEnd::kMisaligned:
      break;
  }
  return CallStatus::kFault;
}

}  // namespace

Status SimulatorBoard::State::load(const BoardCall& call) {
  const bool same = std::equal(call.elf.begin(), call.elf.end(), elf.begin(), elf.end());
  if (same && info.data_bytes + info.bss_bytes == 0) return ok_status();
  elf.clear();
  TT_TRY_ASSIGN(info, simulator.load(call.elf));
  elf.assign(call.elf.begin(), call.elf.end());
  return ok_status();
}

Status SimulatorBoard::State::map_guards(std::span<const CallBuffer> buffers) {
  std::vector<std::pair<size_t, uint32_t>> wanted;
  for (const CallBuffer& b : buffers)
    wanted.push_back({b.bytes.size() * 4 + static_cast<size_t>(b.role), b.alignment});
  if (guarded && wanted == guarded_for) return ok_status();
  simulator.unmap_extra();
  guarded = place_guarded(device, buffers);
  if (!guarded) return ok_status();
  guarded_for = std::move(wanted);
  for (const BufferLayout* layout : {&guarded->at_end, &guarded->at_start})
    for (const GuardedPages& m : layout->mapped)
      TT_TRY(simulator.map(m.pages.address, m.pages.size_bytes, m.writable));
  return ok_status();
}

Result<BoardReport> SimulatorBoard::State::run(const BoardCall& call, const BufferLayout& layout) {
  for (size_t i = 0; i < call.buffers.size(); ++i)
    TT_TRY(simulator.write(layout.addresses[i], call.buffers[i].bytes));
  CallOptions options;
  options.instruction_limit = call.instruction_limit;
  options.check_alignment = call.check_alignment;
  options.off_limits = layout.slack;
  TT_TRY_ASSIGN(const CallReport called,
                simulator.call(info.symbols.at(call.symbol).address, layout.addresses, options));

  BoardReport report;
  report.status = status_of(called.end);
  report.detail = called.detail;
  report.cycles = called.counts.cycles;
  report.instructions = called.counts.instructions;
  report.stack_bytes = called.stack_bytes;
  if (called.end != CallEnd::kReturned) return report;
  report.registers_restored = called.registers_restored;
  if (!called.registers_restored) report.detail = "not restored: " + called.clobbered;
  for (size_t i = 0; i < call.buffers.size(); ++i) {
    const CallBuffer& buffer = call.buffers[i];
    if (buffer.role == BufferRole::kScratch) continue;
    TT_TRY_ASSIGN(auto now, simulator.read(layout.addresses[i], buffer.bytes.size()));
    if (buffer.role == BufferRole::kWrite) {
      report.written.push_back(std::move(now));
    } else if (now != buffer.bytes && report.inputs_unchanged) {
      report.inputs_unchanged = false;
      const auto at = std::mismatch(now.begin(), now.end(), buffer.bytes.begin()).first;
      report.detail += (report.detail.empty() ? "" : "; ") + std::string("argument ") +
                       std::to_string(i) + " was changed at byte " +
                       std::to_string(at - now.begin());
    }
  }
  return report;
}

Result<std::unique_ptr<SimulatorBoard>> SimulatorBoard::create(const Device& device) {
  TT_TRY_ASSIGN(Simulator simulator, Simulator::create(device));
  return std::unique_ptr<SimulatorBoard>(
      new SimulatorBoard(std::make_unique<State>(device, std::move(simulator))));
}

SimulatorBoard::SimulatorBoard(std::unique_ptr<State> state) : state_(std::move(state)) {}
SimulatorBoard::~SimulatorBoard() = default;

const Device& SimulatorBoard::device() const { return state_->device; }

Result<BoardReport> SimulatorBoard::call(const BoardCall& call) {
  if (const Status loaded = state_->load(call); !loaded)
    return refused(CallStatus::kFault, loaded.error().message());
  if (!state_->info.symbols.contains(call.symbol))
    return refused(CallStatus::kFault, "the image has no function " + call.symbol);
  const ElfInfo& info = state_->info;
  if (call.guard == Guard::kNone) {
    const auto layout =
        place_in_data_memory(state_->device, call.buffers, info.data_bytes + info.bss_bytes);
    if (!layout)
      return refused(
          CallStatus::kDoesNotFit,
          "tensors and constants exceed the " +
              std::to_string(state_->device.memory(state_->device.data_memory).size_bytes) +
              " bytes of memory '" + state_->device.data_memory + "'");
    return state_->run(call, *layout);
  }
  TT_TRY(state_->map_guards(call.buffers));
  if (!state_->guarded)
    return Error(ErrorCode::kUnsupported, "no unused addresses for guarded buffers");
  return state_->run(
      call, call.guard == Guard::kAtEnd ? state_->guarded->at_end : state_->guarded->at_start);
}

}  // namespace tinytune
