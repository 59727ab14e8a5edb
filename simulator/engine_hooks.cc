// Hooks that the emulator calls while an engine's code runs: at the start of each block, at watched
// loads and stores, and at instructions that it cannot run. Each costs time, so an engine adds only
// those that it needs.
#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>

#include "simulator/arm_prefetch.h"
#include "simulator/engine.h"

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

  // Fetches after the graph's step, because the block before has then left its section.
  static void fetched_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    block(unicorn, address, size, user);
    Engine& engine = *static_cast<Engine*>(user);
    engine.timing_.fetch(static_cast<uint32_t>(address), engine.graph_.block_bytes());
  }

  // Charges banks before the graph's step, so that the section of the block that ran pays.
  static void striped_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    engine.banks_.leave_for(static_cast<uint32_t>(address), engine.graph_);
    fetched_block(unicorn, address, size, user);
  }

  // The graph's step must come before cores_.block(), which needs the current section, and fetch()
  // after it, as it needs the caches before the fetch.
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

  // Called only at PLD, and at data that looks like it.
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

  // Called before the store, which then writes the word as to any memory.
  static void register_store(uc_engine*, uc_mem_type, uint64_t address, int size, int64_t value,
                             void* user) {
    const Port& port = *static_cast<Port*>(user);
    const auto offset = static_cast<uint32_t>(address) - port.peripheral.registers.address;
    if (port.engine.fault_.end != CallEnd::kReturned) return;
    if (size != 4 || offset % 4 != 0) return port.engine.fault("a register is a word");
    port.peripheral.unit->store(offset, static_cast<uint32_t>(value), port.engine);
  }

  // Called before the load, which then reads the unit's value.
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

  // Added for the memories behind the cache whose misses a unit may lock out.
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

  // Called at an instruction that the emulator does not know. On RISC-V it has stepped over the
  // instruction; on Arm it would enter a handler, so it is stopped.
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

  // Called only at signed divisions, and at data that looks like one.
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

// Unicorn looks up hooks at translation, so they are added before code runs.
Status Engine::watch_dividends(std::span<const AddressRange> filled) {
  if (graph_.timing().negative_dividend_cycles() == 0) return ok_status();
  for (const AddressRange& range : filled)
    for (const uint32_t at :
         riscv_signed_divisions(memory_.at(range.address, range.size_bytes), range.address))
      TT_TRY(core_.add_hook(UC_HOOK_CODE, &Hooks::division, this, at, at));
  return ok_status();
}

Status Engine::add_hooks(std::span<const AddressRange> filled) {
  TT_TRY(core_.add_hook(UC_HOOK_MEM_INVALID, &Hooks::invalid, this));
  if (!core_.is_arm() || vectors_) TT_TRY(core_.add_hook(UC_HOOK_INTR, &Hooks::exception, this));
  switch (watch_) {
    case Watch::kNothing:
      return core_.add_hook(UC_HOOK_BLOCK, &Hooks::block, this);
    case Watch::kFetches:
      return core_.add_hook(UC_HOOK_BLOCK, &Hooks::fetched_block, this);
    case Watch::kMemory:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::fetched_block, this));
      return watch_memory(filled);
    case Watch::kBanks:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::striped_block, this));
      TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::striped_access, this));
      return watch_memory(filled);
    case Watch::kCores:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::shared_block, this));
      TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::shared_access, this));
      return watch_memory(filled);
    case Watch::kAccesses:
      TT_TRY(core_.add_hook(UC_HOOK_BLOCK, &Hooks::watched_block, this));
      return core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::access, this);
  }
  return ok_status();
}

Status Engine::watch_memory(std::span<const AddressRange> filled) {
  for (const AddressRange& range : timing_.timed_reads())
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ, &Hooks::read, this, range.address,
                          uint64_t{range.address} + range.size_bytes - 1));
  for (const AddressRange& range : filled) {
    if (!core_.is_arm() || !memory_.region(range.address)->executable) continue;
    for (const uint32_t at :
         arm_prefetches(memory_.at(range.address, range.size_bytes), range.address))
      TT_TRY(core_.add_hook(UC_HOOK_CODE, &Hooks::prefetch, this, at, at));
  }
  return ok_status();
}

Status Engine::attach(std::span<const AttachedPeripheral> peripherals) {
  for (const AttachedPeripheral& peripheral : peripherals) {
    ports_.push_back(std::make_unique<Port>(Port{*this, peripheral}));
    const AddressRange& range = peripheral.registers;
    TT_TRY(core_.add_hook(UC_HOOK_MEM_WRITE, &Hooks::register_store, ports_.back().get(),
                          range.address, uint64_t{range.address} + range.size_bytes - 1));
  }
  return ok_status();
}

// Hooks accesses to memory that the unit may write, and loads of its registers, so that a loop
// which polls them sees the end of a transfer.
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

}  // namespace tinytune
