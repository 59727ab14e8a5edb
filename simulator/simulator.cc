#include "simulator/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "simulator/arrival.h"
#include "simulator/bank_timing.h"
#include "simulator/block_graph.h"
#include "simulator/core_overlap.h"
#include "simulator/decoder.h"
#include "simulator/elf.h"
#include "simulator/engine.h"
#include "simulator/memory.h"
#include "simulator/memory_timing.h"
#include "simulator/peripheral.h"
#include "simulator/timing_model.h"

namespace tinytune {
namespace {

constexpr uint32_t kPageBytes = 4096;
constexpr uint32_t kPaint = 0xC5C5C5C5;

uint32_t pattern_of(unsigned reg) { return 0xA5A50000u + reg * 4; }

void paint(std::span<uint8_t> stack) {
  for (size_t i = 0; i < stack.size(); i += 4) std::memcpy(&stack[i], &kPaint, 4);
}

/// Returns the bytes from the lowest changed word to the end. A word written with the paint's own
/// value is missed, but the words around it are not.
uint32_t used_bytes(std::span<const uint8_t> stack) {
  size_t i = 0;
  while (i < stack.size() && std::memcmp(&stack[i], &kPaint, 4) == 0) i += 4;
  return static_cast<uint32_t>(stack.size() - i);
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  instructions += other.instructions;
  cycles += other.cycles;
  loads += other.loads;
  stores += other.stores;
  multiplies += other.multiplies;
  branches_taken += other.branches_taken;
  fetch_wait_cycles += other.fetch_wait_cycles;
  read_wait_cycles += other.read_wait_cycles;
  return *this;
}

Counts& Counts::operator-=(const Counts& other) {
  instructions -= other.instructions;
  cycles -= other.cycles;
  loads -= other.loads;
  stores -= other.stores;
  multiplies -= other.multiplies;
  branches_taken -= other.branches_taken;
  fetch_wait_cycles -= other.fetch_wait_cycles;
  read_wait_cycles -= other.read_wait_cycles;
  return *this;
}

struct Simulator::State {
  State(const Device& of, Decoder decoder, TimingModel timing)
      : device(of),
        memory_timing(of),
        bank_timing(of, timing),
        core_overlap(device, timing),
        graph(of, std::move(decoder), timing, &memory, &memory_timing.waits()) {}

  void forget_engines() {
    for (std::unique_ptr<Engine>& engine : engines) engine.reset();
  }
  Result<Engine*> engine(const CallOptions& options) {
    const Engine::Watch watch = watch_for(options);
    const bool arrives = options.arrival.has_value();
    if (arrives != has_arrival) forget_engines();
    if (arrives && !arrival) TT_TRY(attach(*options.arrival));
    has_arrival = arrives;
    memory_timing.set_arrival(arrives ? &*arrival : nullptr);
    core_overlap.set_arrival(arrives ? &*arrival : nullptr);
    std::unique_ptr<Engine>& wanted = engines[static_cast<size_t>(watch)];
    if (!wanted) {
      std::vector<AttachedPeripheral> beside = attached;
      if (arrives) beside.insert(beside.end(), movers.begin(), movers.end());
      TT_TRY_ASSIGN(wanted,
                    Engine::create(device.target, memory, filled, graph, memory_timing, bank_timing,
                                   core_overlap, beside, arrives ? &*arrival : nullptr, watch));
    }
    return wanted.get();
  }
  // Selects the cheapest engine: hooks cost time, so only accesses that may wait are watched.
  Engine::Watch watch_for(const CallOptions& options) const {
    if (options.check_alignment) return Engine::Watch::kAccesses;
    if (options.zero_wait) return Engine::Watch::kNothing;
    if (!options.pairs.empty()) return Engine::Watch::kCores;
    if (bank_timing.meets(filled)) return Engine::Watch::kBanks;
    if (memory_timing.times_reads(filled)) return Engine::Watch::kMemory;
    return memory_timing.times_fetches(filled) ? Engine::Watch::kFetches : Engine::Watch::kNothing;
  }
  void attach_peripherals() {
    for (const MemoryRegion& region : device.memories)
      for (const PeripheralKind& kind : peripheral_kinds()) {
        if (region.name != kind.memory) continue;
        units.push_back(kind.make());
        attached.push_back({{region.address, region.size_bytes}, units.back().get()});
      }
  }
  Status attach(const ArrivalWay& way) {
    arrival.emplace(
        way, memory, [this] { return graph.counts().cycles; },
        [this, cache = way.cache](uint32_t from, uint32_t size_bytes) {
          memory_timing.fill(cache, from, size_bytes);
        });
    for (ArrivalRegisters& registers : registers_of(*arrival)) {
      TT_TRY(memory.add(
          {.address = registers.address, .size_bytes = registers.size_bytes, .writable = true}));
      units.push_back(std::move(registers.unit));
      movers.push_back({{registers.address, registers.size_bytes}, units.back().get()});
    }
    return ok_status();
  }
  void forget_code() {
    graph.clear();
    bank_timing.clear();
    forget_engines();
  }

  Device device;
  Memory memory;
  MemoryTiming memory_timing;
  BankTiming bank_timing;
  CoreOverlap core_overlap;
  BlockGraph graph;
  std::vector<std::unique_ptr<Peripheral>> units;
  std::vector<AttachedPeripheral> attached;        ///< one for each of `units`
  std::array<std::unique_ptr<Engine>, 6> engines;  ///< by Engine::Watch
  std::vector<AddressRange> filled;                ///< by load() and write()
  std::optional<Arrival> arrival;                  ///< from the first call that has one on
  std::vector<AttachedPeripheral> movers;          ///< registers of `arrival`
  bool has_arrival = false;                        ///< whether engines were made with `arrival`
};

Simulator::Simulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

Result<Simulator> Simulator::create(const Device& device) {
  if (device.target.family == CoreFamily::kAnyC)
    return Error(ErrorCode::kUnsupported,
                 device.name + " has no simulator; --device host runs its C on this machine");
  auto timing = TimingModel::create(device.timing, device.target.vector_bits);
  if (!timing) return timing.error().within(device.name);
  auto decoder = Decoder::create(device.target);
  if (!decoder) return decoder.error().within(device.name);
  auto state =
      std::make_unique<State>(device, std::move(decoder).value(), std::move(timing).value());
  for (const MemoryRegion& memory : device.memories) {
    Memory::Region region;
    region.address = memory.address;
    region.size_bytes = memory.size_bytes;
    region.executable = memory.executable;
    region.writable = memory.writable;
    if (region.contains(kReturnAddress, 1)) {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("{}: memory '{}' covers {:#010x}, where calls return to",
                               device.name, memory.name, kReturnAddress));
    }
    TT_TRY(state->memory.add(region));
  }
  state->attach_peripherals();
  return Simulator(std::move(state));
}

Status Simulator::map(uint32_t address, uint32_t size_bytes, bool writable) {
  const uint64_t end =
      (uint64_t{address} + size_bytes + kPageBytes - 1) & ~uint64_t{kPageBytes - 1};
  Memory::Region region;
  region.address = address & ~(kPageBytes - 1);
  region.size_bytes = static_cast<uint32_t>(end - region.address);
  region.writable = writable;
  region.extra = true;
  if (size_bytes == 0 || end > uint64_t{1} << 32 || region.contains(kReturnAddress, 1)) {
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("cannot map {} bytes at {:#010x}", size_bytes, address));
  }
  TT_TRY(state_->memory.add(region));
  state_->forget_engines();
  return ok_status();
}

void Simulator::unmap_extra() {
  state_->forget_engines();
  state_->memory.remove_extra();
}

Result<ElfInfo> Simulator::load(std::span<const uint8_t> elf) {
  state_->forget_code();
  state_->memory.clear();
  for (const std::unique_ptr<Peripheral>& unit : state_->units) unit->reset();
  TT_TRY_ASSIGN(ElfInfo info, load_elf(elf, state_->device.target.family, state_->memory));
  state_->filled = info.segments;
  return info;
}

Status Simulator::write(uint32_t address, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return ok_status();
  const std::span<uint8_t> target = state_->memory.at(address, bytes.size());
  if (target.empty()) {
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("write of {} bytes at {:#010x} is outside mapped memory", bytes.size(),
                             address));
  }
  std::copy(bytes.begin(), bytes.end(), target.begin());
  const AddressRange range{address, static_cast<uint32_t>(bytes.size())};
  const bool code = state_->memory.region(address)->executable;
  if (code || (state_->memory_timing.times_reads({&range, 1}) &&
               !state_->memory_timing.times_reads(state_->filled)))
    state_->filled.push_back(range);
  if (code) state_->forget_code();
  return ok_status();
}

Result<std::vector<uint8_t>> Simulator::read(uint32_t address, size_t size_bytes) const {
  if (size_bytes == 0) return std::vector<uint8_t>();
  const std::span<uint8_t> source = state_->memory.at(address, size_bytes);
  if (source.empty()) {
    return Error(
        ErrorCode::kInvalidInput,
        fmt::format("read of {} bytes at {:#010x} is outside mapped memory", size_bytes, address));
  }
  return std::vector<uint8_t>(source.begin(), source.end());
}

Result<CallReport> Simulator::call(uint32_t function, std::span<const uint32_t> arguments,
                                   const CallOptions& options) {
  State& state = *state_;
  TT_TRY_ASSIGN(Engine * engine, state.engine(options));
  const RegisterRoles& roles = register_roles(state.device.target.family);

  const MemoryRegion& region = state.device.memory(state.device.stack_memory);
  const std::span<uint8_t> stack = state.memory.at(region.address, region.size_bytes);
  paint(stack);
  const size_t in_registers = std::min(arguments.size(), roles.arguments.size());
  const std::span<const uint32_t> on_stack = arguments.subspan(in_registers);
  const auto pushed = static_cast<uint32_t>((on_stack.size() * 4 + 15) & ~size_t{15});
  if (pushed > region.size_bytes) {
    return Error(ErrorCode::kInvalidInput, "more arguments than the stack holds");
  }
  const std::span<uint8_t> frame = stack.first(stack.size() - pushed);
  if (!on_stack.empty()) {
    std::memcpy(stack.data() + frame.size(), on_stack.data(), on_stack.size() * 4);
  }
  const auto stack_pointer = static_cast<uint32_t>(region.address + frame.size());

  const unsigned register_count = state.device.target.family == CoreFamily::kRiscv32 ? 32 : 13;
  for (unsigned reg = 0; reg < register_count; ++reg) engine->set(reg, 0);
  for (unsigned reg : roles.saved) engine->set(reg, pattern_of(reg));
  for (size_t i = 0; i < in_registers; ++i) engine->set(roles.arguments[i], arguments[i]);
  engine->set(roles.stack_pointer, stack_pointer);
  engine->set(roles.link, state.device.target.family == CoreFamily::kArmM ? kReturnAddress | 1
                                                                          : kReturnAddress);

  engine->set_watched(options.off_limits, options.counted);
  state.memory_timing.begin();
  if (state.arrival) state.arrival->begin();
  state.bank_timing.begin();
  state.core_overlap.begin(options.pairs);
  state.graph.begin(options.instruction_limit, options.sections);
  BlockGraph::Stop stop = engine->run(function);
  if (stop.end == CallEnd::kReturned && state.arrival && state.arrival->moves_memory())
    stop = {CallEnd::kFault, "the call returned before the weights had arrived"};
  if (stop.end == CallEnd::kReturned && state.arrival && state.arrival->has_flash())
    stop = {CallEnd::kFault, "the call returned while a burst of weights had the flash"};

  CallReport report;
  report.end = stop.end;
  report.detail = stop.detail;
  report.counts = state.graph.counts();
  report.visits = state.graph.visits();
  state.core_overlap.finish(report.counts.cycles - report.counts.fetch_wait_cycles -
                            report.counts.read_wait_cycles);
  report.joined = state.core_overlap.joined();
  report.race = state.core_overlap.race();
  report.traffic = engine->traffic();
  report.factors = engine->factors();
  report.factor_loads = engine->factor_loads();
  report.sections.resize(options.sections.size());
  for (const SectionVisit& visit : report.visits) report.sections[visit.section] += visit.counts;
  report.return_value = engine->get(roles.result);
  report.stack_bytes = used_bytes(frame);
  if (stop.end != CallEnd::kReturned) return report;
  for (size_t i = 0; i < roles.saved.size(); ++i) {
    if (engine->get(roles.saved[i]) == pattern_of(roles.saved[i])) continue;
    report.clobbered += (report.clobbered.empty() ? "" : ", ") + roles.saved_names[i];
  }
  if (engine->get(roles.stack_pointer) != stack_pointer) {
    report.clobbered += report.clobbered.empty() ? "sp" : ", sp";
  }
  if (!engine->vectors_restored()) {
    report.clobbered += report.clobbered.empty() ? "q4 to q7" : ", q4 to q7";
  }
  report.registers_restored = report.clobbered.empty();
  return report;
}

}  // namespace tinytune
