#include "simulator/engine.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "simulator/arm_prefetch.h"

namespace tinytune {

/// Unicorn's callbacks. They run inside translated code: no exception may leave them.
struct Engine::Hooks {
  static void block(uc_engine*, uint64_t address, uint32_t size, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const BlockGraph::Step step = engine.graph_.enter(static_cast<uint32_t>(address), size);
    if (step == BlockGraph::Step::kRun) return;
    if (step == BlockGraph::Step::kStop) return engine.stop();
    const uint32_t link = engine.get(register_roles(engine.core_.family()).link);
    engine.graph_.enter_section(engine.core_.is_arm() ? link & ~1u : link);
  }

  static void watched_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    static_cast<Engine*>(user)->accesses_in_block_ = 0;
    static_cast<Engine*>(user)->follow_block();
    block(unicorn, address, size, user);
  }

  // After the graph's step: the block that ran before has left its section by then.
  static void fetched_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    block(unicorn, address, size, user);
    Engine& engine = *static_cast<Engine*>(user);
    engine.timing_.fetch(static_cast<uint32_t>(address), engine.graph_.block_bytes());
  }

  // Before the graph's step: the section of the block that ran pays for what it met.
  static void striped_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    engine.banks_.leave_for(static_cast<uint32_t>(address), engine.graph_);
    fetched_block(unicorn, address, size, user);
  }

  // The section that runs now is known once the graph has stepped; what is in the caches is told
  // before the block is fetched.
  static void shared_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const auto at = static_cast<uint32_t>(address);
    if (engine.meets_banks_) engine.banks_.leave_for(at, engine.graph_);
    engine.cores_.leave_for(at, engine.graph_, engine.banks_.charged());
    block(unicorn, address, size, user);
    const Counts counts = engine.graph_.counts();
    const uint64_t waits = counts.fetch_wait_cycles + counts.read_wait_cycles;
    const uint32_t bytes = engine.graph_.block_bytes();
    engine.cores_.block(engine.graph_.section(), counts.cycles - waits, {at, bytes},
                        engine.timing_);
    engine.timing_.fetch(at, bytes);
  }

  static void shared_access(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t,
                            void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const auto at = static_cast<uint32_t>(address);
    if (engine.meets_banks_) engine.banks_.access(at);
    engine.cores_.access(at, static_cast<uint32_t>(size), type == UC_MEM_WRITE);
  }

  static void striped_access(uc_engine*, uc_mem_type, uint64_t address, int, int64_t, void* user) {
    static_cast<Engine*>(user)->banks_.access(static_cast<uint32_t>(address));
  }

  static void read(uc_engine*, uc_mem_type, uint64_t address, int size, int64_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    engine.timing_.read(static_cast<uint32_t>(address), static_cast<uint32_t>(size),
                        engine.graph_.clock());
  }

  // Only at PLD.
  static void prefetch(uc_engine*, uint64_t address, uint32_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    if (const auto hint = arm_prefetch(engine.memory_.code_at(static_cast<uint32_t>(address))))
      engine.timing_.prefetch(engine.get(hint->base) + hint->offset, engine.graph_.clock());
  }

  static void access(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t,
                     void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    ++engine.accesses_in_block_;
    const auto bytes = static_cast<uint32_t>(size);
    engine.count(type == UC_MEM_WRITE, static_cast<uint32_t>(address), bytes);
    // Sizes are powers of two; pairs of the floating-point unit's registers are words.
    const bool misaligned = (address & (std::min(bytes, 4u) - 1)) != 0;
    const bool forbidden = engine.touches_off_limits(address, bytes);
    if ((!misaligned && !forbidden) || engine.fault_.end != CallEnd::kReturned) return;
    const std::string what =
        engine.describe_access(type == UC_MEM_WRITE, static_cast<uint32_t>(address), bytes);
    engine.fault_ = forbidden ? BlockGraph::Stop{CallEnd::kFault, what}
                              : BlockGraph::Stop{CallEnd::kMisaligned, "misaligned " + what};
    engine.stop();
  }

  // Before the store: the word is there as in any memory once the unit is done.
  static void register_store(uc_engine*, uc_mem_type, uint64_t address, int size, int64_t value,
                             void* user) {
    const Port& port = *static_cast<Port*>(user);
    const auto offset = static_cast<uint32_t>(address) - port.peripheral.registers.address;
    if (port.engine.fault_.end != CallEnd::kReturned) return;
    if (size != 4 || offset % 4 != 0) return port.engine.fault("a register is a word");
    port.peripheral.unit->store(offset, static_cast<uint32_t>(value), port.engine);
  }

  // Before the load, which then reads what the unit says.
  static void register_load(uc_engine*, uc_mem_type, uint64_t address, int, int64_t, void* user) {
    const Port& port = *static_cast<Port*>(user);
    const uint32_t at = static_cast<uint32_t>(address) & ~3u;
    const std::span<uint8_t> word = port.engine.memory_.at(at, 4);
    uint32_t value = 0;
    std::memcpy(&value, word.data(), 4);
    value = port.peripheral.unit->load(at - port.peripheral.registers.address, value, port.engine);
    std::memcpy(word.data(), &value, 4);
  }

  static void arriving_access(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t,
                              void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const auto at = static_cast<uint32_t>(address), bytes = static_cast<uint32_t>(size);
    if (engine.arrival_->lacks(at, bytes))
      engine.fault(engine.describe_access(type == UC_MEM_WRITE, at, bytes) +
                   ", where weights are still arriving");
  }

  // Of ranges behind the cache whose misses a unit may keep from being served.
  static void locked_block(uc_engine*, uint64_t address, uint32_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    if (engine.arrival_->has_flash())
      engine.fault(fmt::format("code at {:#010x} runs from flash, which a burst of weights has",
                               static_cast<uint32_t>(address)));
  }

  static void locked_read(uc_engine*, uc_mem_type, uint64_t address, int size, int64_t,
                          void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    if (engine.arrival_->has_flash())
      engine.fault(engine.describe_access(false, static_cast<uint32_t>(address),
                                          static_cast<uint32_t>(size)) +
                   ", in flash, which a burst of weights has");
  }

  // An instruction that the emulator does not know. On RISC-V it has stepped over it; on Arm it
  // would go to a handler, and is left.
  static void exception(uc_engine*, uint32_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    if (engine.core_.is_arm()) {
      engine.trapped_ = true;
      return engine.stop();
    }
    if (!engine.graph_.vector_run().empty()) return engine.run_vectors();
    const auto write = engine.execute_by_hand();
    if (!write) {
      engine.fault_ = {
          CallEnd::kIllegalInstruction,
          fmt::format("exception in the block at {:#010x}", engine.graph_.block_address())};
      engine.stop();
    } else if (write->reg != 0) {
      engine.set(write->reg, write->value);
    }
  }

  // Only at signed divisions.
  static void division(uc_engine*, uint64_t address, uint32_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const auto dividend =
        riscv_signed_dividend(engine.memory_.code_at(static_cast<uint32_t>(address)));
    if (dividend && engine.get(*dividend) >> 31 != 0)
      engine.graph_.charge(engine.graph_.timing().negative_dividend_cycles());
  }

  static bool invalid(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t,
                      void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    if (engine.fault_.end != CallEnd::kReturned) return false;
    const auto at = static_cast<uint32_t>(address);
    if (type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT) {
      engine.fault_ = {CallEnd::kFault, fmt::format("jump to {:#010x} from the block at {:#010x}",
                                                    at, engine.graph_.block_address())};
    } else {
      const bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
      engine.fault_ = {CallEnd::kFault,
                       engine.describe_access(write, at, static_cast<uint32_t>(size))};
    }
    return false;
  }
};

std::optional<RegisterWrite> Engine::execute_by_hand() const {
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand) return std::nullopt;
  return execute_bit_manipulation(memory_.code_at(last->address),
                                  [&](unsigned reg) { return get(reg); });
}

// Unicorn asks for hooks when it translates, so they are there before it does.
Status Engine::watch_dividends(std::span<const AddressRange> filled) {
  if (graph_.timing().negative_dividend_cycles() == 0) return ok_status();
  for (const AddressRange& range : filled)
    for (const uint32_t at :
         riscv_signed_divisions(memory_.at(range.address, range.size_bytes), range.address))
      TT_TRY(core_.add_hook(UC_HOOK_CODE, &Hooks::division, this, at, at));
  return ok_status();
}

Status Engine::watch_prefetches(std::span<const AddressRange> filled) {
  const bool waits = watch_ != Watch::kNothing && watch_ != Watch::kFetches &&
                     watch_ != Watch::kAccesses && core_.is_arm();
  for (const AddressRange& range : filled) {
    if (!waits || !memory_.region(range.address)->executable) continue;
    for (const uint32_t at :
         arm_prefetches(memory_.at(range.address, range.size_bytes), range.address))
      TT_TRY(core_.add_hook(UC_HOOK_CODE, &Hooks::prefetch, this, at, at));
  }
  return ok_status();
}

bool Engine::touches_off_limits(uint64_t address, uint32_t size_bytes) const {
  for (const AddressRange& range : *off_limits_) {
    if (address < uint64_t{range.address} + range.size_bytes &&
        range.address < address + size_bytes) {
      return true;
    }
  }
  return false;
}

void Engine::count(bool is_write, uint32_t address, uint32_t size_bytes) {
  const uint32_t vector = vector_address_ == kNoVector ? 0 : vector_address_;
  for (uint32_t word = 0; flow_.follows() && word < size_bytes; word += 4)
    accesses_.push_back({address + word, std::min(size_bytes - word, 4u), is_write, vector});
  for (size_t i = 0; i < traffic_.size(); ++i) {
    const AddressRange& range = (*counted_)[i];
    if (address - range.address >= range.size_bytes) continue;
    (is_write ? traffic_[i].stored_bytes : traffic_[i].loaded_bytes) += size_bytes;
    return;
  }
}

// The one that the graph stands at; none before the first.
void Engine::follow_block() {
  if (flow_.follows())
    flow_.follow(graph_.instructions(), accesses_, [this](const Instruction& vector) {
      return vectors_->use(memory_.code_at(vector.address));
    });
  accesses_.clear();
}

std::string Engine::describe_access(bool is_write, uint32_t address, uint32_t size_bytes) const {
  // Unicorn's program counter stands still inside a block. Watching accesses, we count them.
  const bool vector = vector_address_ != kNoVector;
  const uint32_t pc = vector ? vector_address_
                      : watch_ == Watch::kAccesses && accesses_in_block_ > 0
                          ? graph_.access_address(accesses_in_block_ - 1)
                          : graph_.block_address();
  return fmt::format("{} of {} byte{} at {:#010x} from {} {:#010x}", is_write ? "write" : "read",
                     size_bytes, size_bytes == 1 ? "" : "s", address,
                     vector || watch_ == Watch::kAccesses ? "pc" : "the block at pc", pc);
}

Result<std::unique_ptr<Engine>> Engine::create(const Target& target, const Memory& memory,
                                               std::span<const AddressRange> filled,
                                               BlockGraph& graph, MemoryTiming& timing,
                                               BankTiming& banks, CoreOverlap& cores,
                                               std::span<const AttachedPeripheral> peripherals,
                                               Arrival* arrival, Watch watch) {
  TT_TRY_ASSIGN(UnicornCore core, UnicornCore::open(target, memory));
  std::unique_ptr<Engine> engine(
      new Engine(std::move(core), memory, graph, timing, banks, cores, arrival, watch));
  engine->meets_banks_ = watch == Watch::kBanks || (watch == Watch::kCores && banks.meets(filled));
  engine->vectors_ = make_vector_unit(target);
  TT_TRY(engine->add_hooks());
  TT_TRY(engine->attach(peripherals));
  if (arrival != nullptr) TT_TRY(engine->watch_arrivals());
  TT_TRY(engine->watch_dividends(filled));
  TT_TRY(engine->watch_prefetches(filled));
  return engine;
}

Status Engine::add_hooks() {
  TT_TRY(core_.add_hook(UC_HOOK_MEM_INVALID, &Hooks::invalid, this));
  if (!core_.is_arm() || vectors_) TT_TRY(core_.add_hook(UC_HOOK_INTR, &Hooks::exception, this));
  switch (watch_) {
    case Watch::kNothing:
      return core_.add_hook(UC_HOOK_BLOCK, &Hooks::block, this);
    case Watch::kFetches:
      return core_.add_hook(UC_HOOK_BLOCK, &Hooks::fetched_block, this);
    case Watch::kMemory:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::fetched_block, this));
      return watch_memory();
    case Watch::kBanks:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::striped_block, this));
      TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::striped_access, this));
      return watch_memory();
    case Watch::kCores:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::shared_block, this));
      TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::shared_access, this));
      return watch_memory();
    case Watch::kAccesses:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::watched_block, this));
      return core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::access, this);
  }
  return ok_status();
}

Status Engine::watch_memory() {
  for (const AddressRange& range : timing_.timed_reads())
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ, &Hooks::read, this, range.address,
                          uint64_t{range.address} + range.size_bytes - 1));
  return ok_status();
}

Status Engine::attach(std::span<const AttachedPeripheral> peripherals) {
  for (const AttachedPeripheral& peripheral : peripherals) {
    ports_.push_back(std::make_unique<Port>(*this, peripheral));
    const AddressRange& range = peripheral.registers;
    TT_TRY(core_.add_hook(UC_HOOK_MEM_WRITE, &Hooks::register_store, ports_.back().get(),
                          range.address, uint64_t{range.address} + range.size_bytes - 1));
  }
  return ok_status();
}

// Where it may put weights; and a loop that asks whether they are there has to be told.
Status Engine::watch_arrivals() {
  for (const std::unique_ptr<Port>& port : ports_) {
    const AddressRange& range = port->peripheral.registers;
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ, &Hooks::register_load, port.get(), range.address,
                          uint64_t{range.address} + range.size_bytes - 1));
  }
  for (const Memory::Region& region : memory_.regions())
    if (region.writable)
      TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::arriving_access, this,
                            region.address, uint64_t{region.address} + region.size_bytes - 1));
  if (!arrival_->way().locks_flash) return ok_status();
  for (const AddressRange& range : timing_.ranges_behind(arrival_->way().cache)) {
    const uint64_t last = uint64_t{range.address} + range.size_bytes - 1;
    TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::locked_block, this, range.address, last));
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ, &Hooks::locked_read, this, range.address, last));
  }
  return ok_status();
}

// What a unit may touch is what the core may, guards of buffers included.
std::span<uint8_t> Engine::moved(uint32_t address, uint32_t size_bytes, bool is_write) {
  const std::span<uint8_t> bytes = memory_.at(address, size_bytes);
  const bool allowed = !bytes.empty() && (!is_write || memory_.region(address)->writable) &&
                       (watch_ != Watch::kAccesses || !touches_off_limits(address, size_bytes));
  if (allowed) return bytes;
  fault(fmt::format("{} of {} bytes at {:#010x} by a peripheral", is_write ? "write" : "read",
                    size_bytes, address));
  return {};
}

std::span<const uint8_t> Engine::read(uint32_t address, uint32_t size_bytes) {
  return moved(address, size_bytes, false);
}

std::span<uint8_t> Engine::write(uint32_t address, uint32_t size_bytes) {
  return moved(address, size_bytes, true);
}

void Engine::fault(const std::string& why) {
  if (fault_.end == CallEnd::kReturned) fault_ = {CallEnd::kFault, why};
  stop();
}

void Engine::stop() { uc_emu_stop(core_.handle()); }

int Engine::start(uint32_t address) {
  trapped_ = false;
  const uint64_t begin = core_.is_arm() ? address | 1u : address;
  return uc_emu_start(core_.handle(), begin, kReturnAddress, 0, 0);
}

BlockGraph::Stop Engine::run(uint32_t function) {
  if (vectors_) vectors_->reset();
  mark_vectors();
  fault_ = BlockGraph::Stop();
  accesses_in_block_ = 0;
  accesses_.clear();
  graph_.set_registers([this](unsigned reg) { return get(reg); });
  int error = start(function);
  while (trapped_ || (vectors_ && core_.is_arm() && error == UC_ERR_INSN_INVALID)) {
    if (graph_.stopped_by().end != CallEnd::kReturned || graph_.vector_run().empty()) break;
    run_vectors();
    if (fault_.end != CallEnd::kReturned) break;
    error = start(resume_at_);
  }
  if (fault_.end != CallEnd::kReturned) return fault_;
  if (graph_.stopped_by().end != CallEnd::kReturned) return graph_.stopped_by();
  if (trapped_) {
    return {CallEnd::kIllegalInstruction,
            fmt::format("exception in the block at {:#010x}", graph_.block_address())};
  }
  if (error != UC_ERR_OK) {
    return {CallEnd::kIllegalInstruction,
            fmt::format("{} in the block at {:#010x}", uc_strerror(static_cast<uc_err>(error)),
                        graph_.block_address())};
  }
  follow_block();
  if (watch_ == Watch::kBanks) banks_.leave_for(kReturnAddress, graph_);
  graph_.finish(kReturnAddress);
  return BlockGraph::Stop();
}

}  // namespace tinytune
