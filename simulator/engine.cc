#include "simulator/engine.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <cstring>

namespace tinytune {
namespace {

uc_engine* handle(void* unicorn) { return static_cast<uc_engine*>(unicorn); }

int unicorn_register(CoreFamily family, int reg) {
  if (family == CoreFamily::kRiscv32) return UC_RISCV_REG_X0 + reg;
  constexpr int kArm[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2,  UC_ARM_REG_R3,
                          UC_ARM_REG_R4,  UC_ARM_REG_R5, UC_ARM_REG_R6,  UC_ARM_REG_R7,
                          UC_ARM_REG_R8,  UC_ARM_REG_R9, UC_ARM_REG_R10, UC_ARM_REG_R11,
                          UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR,  UC_ARM_REG_PC};
  return kArm[reg];
}

RegisterRoles riscv_roles() {
  RegisterRoles roles;
  roles.arguments = {10, 11, 12, 13, 14, 15, 16, 17};
  roles.saved = {3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
  roles.saved_names = {"gp", "tp", "s0", "s1", "s2", "s3",  "s4",
                       "s5", "s6", "s7", "s8", "s9", "s10", "s11"};
  roles.stack_pointer = 2;
  roles.link = 1;
  roles.result = 10;
  return roles;
}

RegisterRoles arm_roles() {
  RegisterRoles roles;
  roles.arguments = {0, 1, 2, 3};
  roles.saved = {4, 5, 6, 7, 8, 9, 10, 11};
  roles.saved_names = {"r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"};
  roles.stack_pointer = 13;
  roles.link = 14;
  roles.result = 0;
  return roles;
}

}  // namespace

const RegisterRoles& register_roles(CoreFamily family) {
  static const RegisterRoles kRiscv = riscv_roles();
  static const RegisterRoles kArm = arm_roles();
  return family == CoreFamily::kRiscv32 ? kRiscv : kArm;
}

/// Unicorn's callbacks. They run inside translated code: no exception may leave them.
struct Engine::Hooks {
  static void block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const BlockGraph::Step step = engine.graph_.enter(static_cast<uint32_t>(address), size);
    if (step == BlockGraph::Step::kRun) return;
    if (step == BlockGraph::Step::kStop) {
      uc_emu_stop(unicorn);
      return;
    }
    const uint32_t link = engine.get(register_roles(engine.family_).link);
    engine.graph_.enter_section(engine.family_ == CoreFamily::kArmM ? link & ~1u : link);
  }

  static void watched_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    static_cast<Engine*>(user)->accesses_in_block_ = 0;
    block(unicorn, address, size, user);
  }

  // After the graph's step: the block that ran before has left its section by then.
  static void fetched_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    block(unicorn, address, size, user);
    Engine& engine = *static_cast<Engine*>(user);
    engine.timing_.fetch(static_cast<uint32_t>(address), engine.graph_.block_bytes());
  }

  static void read(uc_engine*, uc_mem_type, uint64_t address, int size, int64_t, void* user) {
    static_cast<Engine*>(user)->timing_.read(static_cast<uint32_t>(address),
                                             static_cast<uint32_t>(size));
  }

  static void access(uc_engine* unicorn, uc_mem_type type, uint64_t address, int size, int64_t,
                     void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    ++engine.accesses_in_block_;
    const auto bytes = static_cast<uint32_t>(size);
    const bool misaligned = address % bytes != 0;
    const bool forbidden = engine.touches_off_limits(address, bytes);
    if ((!misaligned && !forbidden) || engine.fault_.end != CallEnd::kReturned) return;
    const std::string what =
        engine.describe_access(type == UC_MEM_WRITE, static_cast<uint32_t>(address), bytes);
    engine.fault_ = forbidden ? BlockGraph::Stop{CallEnd::kFault, what}
                              : BlockGraph::Stop{CallEnd::kMisaligned, "misaligned " + what};
    uc_emu_stop(unicorn);
  }

  // An instruction that the emulator does not know; it has stepped over it.
  static void exception(uc_engine* unicorn, uint32_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const auto write = engine.execute_by_hand();
    if (!write) {
      engine.fault_ = {
          CallEnd::kIllegalInstruction,
          fmt::format("exception in the block at {:#010x}", engine.graph_.block_address())};
      uc_emu_stop(unicorn);
    } else if (write->reg != 0) {
      engine.set(static_cast<int>(write->reg), write->value);
    }
  }

  // Only at signed divisions.
  static void division(uc_engine*, uint64_t address, uint32_t, void* user) {
    Engine& engine = *static_cast<Engine*>(user);
    const auto dividend = riscv_signed_dividend(engine.code_at(static_cast<uint32_t>(address)));
    if (dividend && engine.get(static_cast<int>(*dividend)) >> 31 != 0)
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

uint32_t Engine::code_at(uint32_t address) const {
  uint32_t code = 0;
  std::span<const uint8_t> bytes = memory_->at(address, 4);
  if (bytes.empty()) bytes = memory_->at(address, 2);
  if (!bytes.empty()) std::memcpy(&code, bytes.data(), bytes.size());
  return code;
}

std::optional<RegisterWrite> Engine::execute_by_hand() const {
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand) return std::nullopt;
  return execute_bit_manipulation(code_at(last->address),
                                  [&](unsigned reg) { return get(static_cast<int>(reg)); });
}

bool Engine::branch_holds(const Instruction& branch) const {
  return family_ == CoreFamily::kRiscv32 &&
         riscv_branch_holds(code_at(branch.address),
                            [&](unsigned reg) { return get(static_cast<int>(reg)); });
}

// Unicorn asks for hooks when it translates, so they are there before it does. Bytes that only look
// like a division are never asked about.
Status Engine::watch_dividends(std::span<const AddressRange> filled) {
  if (graph_.timing().negative_dividend_cycles() == 0) return ok_status();
  for (const AddressRange& range : filled) {
    const std::span<const uint8_t> bytes = memory_->at(range.address, range.size_bytes);
    for (size_t i = 0; i + 4 <= bytes.size(); i += 2) {
      uint32_t code;
      std::memcpy(&code, &bytes[i], 4);
      if (!riscv_signed_dividend(code)) continue;
      uc_hook unused;
      const uint64_t at = range.address + i;
      const uc_err error = uc_hook_add(handle(unicorn_), &unused, UC_HOOK_CODE,
                                       reinterpret_cast<void*>(&Hooks::division), this, at, at);
      if (error != UC_ERR_OK)
        return Error(ErrorCode::kFailed, fmt::format("unicorn: {}", uc_strerror(error)));
    }
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

std::string Engine::describe_access(bool is_write, uint32_t address, uint32_t size_bytes) const {
  // Unicorn's program counter stands still inside a block. Watching accesses, we count them.
  const uint32_t pc = watch_ == Watch::kAccesses && accesses_in_block_ > 0
                          ? graph_.access_address(accesses_in_block_ - 1)
                          : graph_.block_address();
  return fmt::format("{} of {} byte{} at {:#010x} from {} {:#010x}", is_write ? "write" : "read",
                     size_bytes, size_bytes == 1 ? "" : "s", address,
                     watch_ == Watch::kAccesses ? "pc" : "the block at pc", pc);
}

Result<std::unique_ptr<Engine>> Engine::create(const Target& target, const Memory& memory,
                                               std::span<const AddressRange> filled,
                                               BlockGraph& graph, MemoryTiming& timing,
                                               Watch watch) {
  std::unique_ptr<Engine> engine(new Engine(target.family, graph, timing, watch));
  TT_TRY(engine->open(target, memory, filled));
  return engine;
}

Status Engine::open(const Target& target, const Memory& memory,
                    std::span<const AddressRange> filled) {
  const auto failed = [](const char* what, uc_err error) {
    return Error(ErrorCode::kFailed, fmt::format("unicorn: {}: {}", what, uc_strerror(error)));
  };
  uc_engine* unicorn = nullptr;
  const bool arm = target.family == CoreFamily::kArmM;
  uc_err error =
      arm ? uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &unicorn)
          : uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &unicorn);
  if (error != UC_ERR_OK) return failed("uc_open", error);
  unicorn_ = unicorn;
  memory_ = &memory;
  if (arm) {
    // The largest core of its architecture: the decoder refuses what the device lacks.
    const bool v8 = target.triple.starts_with("thumbv8m");
    error = uc_ctl_set_cpu_model(unicorn, v8 ? UC_CPU_ARM_CORTEX_M33 : UC_CPU_ARM_CORTEX_M7);
    if (error != UC_ERR_OK) return failed("uc_ctl_set_cpu_model", error);
  }
  for (const Memory::Region& region : memory.regions()) {
    const uint32_t rights = uint32_t{UC_PROT_READ} |
                            (region.writable ? uint32_t{UC_PROT_WRITE} : 0u) |
                            (region.executable ? uint32_t{UC_PROT_EXEC} : 0u);
    error = uc_mem_map_ptr(unicorn, region.address, region.size_bytes, rights, region.host);
    if (error != UC_ERR_OK) return failed("uc_mem_map_ptr", error);
  }
  error = uc_mem_map(unicorn, kReturnAddress, 4096, UC_PROT_READ | UC_PROT_EXEC);
  if (error != UC_ERR_OK) return failed("uc_mem_map", error);
  // A range that ends before it begins is everywhere.
  const auto hook = [&](int type, auto* callback, uint64_t begin = 1, uint64_t end = 0) {
    uc_hook unused;
    if (error == UC_ERR_OK) {
      error =
          uc_hook_add(unicorn, &unused, type, reinterpret_cast<void*>(callback), this, begin, end);
    }
  };
  hook(UC_HOOK_MEM_INVALID, &Hooks::invalid);
  if (!arm) hook(UC_HOOK_INTR, &Hooks::exception);
  switch (watch_) {
    case Watch::kNothing:
      hook(UC_HOOK_BLOCK, &Hooks::block);
      break;
    case Watch::kFetches:
      hook(UC_HOOK_BLOCK, &Hooks::fetched_block);
      break;
    case Watch::kMemory:
      hook(UC_HOOK_BLOCK, &Hooks::fetched_block);
      for (const AddressRange& range : timing_.timed_reads())
        hook(UC_HOOK_MEM_READ, &Hooks::read, range.address,
             uint64_t{range.address} + range.size_bytes - 1);
      break;
    case Watch::kAccesses:
      hook(UC_HOOK_BLOCK, &Hooks::watched_block);
      hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::access);
      break;
  }
  if (error != UC_ERR_OK) return failed("uc_hook_add", error);
  return watch_dividends(filled);
}

Engine::~Engine() {
  if (unicorn_ != nullptr) uc_close(handle(unicorn_));
}

uint32_t Engine::get(int reg) const {
  uint32_t value = 0;
  uc_reg_read(handle(unicorn_), unicorn_register(family_, reg), &value);
  return value;
}

void Engine::set(int reg, uint32_t value) {
  uc_reg_write(handle(unicorn_), unicorn_register(family_, reg), &value);
}

BlockGraph::Stop Engine::run(uint32_t function) {
  fault_ = BlockGraph::Stop();
  accesses_in_block_ = 0;
  graph_.set_condition([this](const Instruction& branch) { return branch_holds(branch); });
  const uint64_t begin = family_ == CoreFamily::kArmM ? function | 1u : function;
  const uc_err error = uc_emu_start(handle(unicorn_), begin, kReturnAddress, 0, 0);
  if (fault_.end != CallEnd::kReturned) return fault_;
  if (graph_.stopped_by().end != CallEnd::kReturned) return graph_.stopped_by();
  if (error != UC_ERR_OK) {
    return {CallEnd::kIllegalInstruction,
            fmt::format("{} in the block at {:#010x}", uc_strerror(error), graph_.block_address())};
  }
  graph_.finish(kReturnAddress);
  return BlockGraph::Stop();
}

}  // namespace tinytune
