#include "simulator/program_engine.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <cstring>
#include <set>

#include "simulator/engine.h"

namespace tinytune {
namespace {

uc_engine* handle(void* unicorn) { return static_cast<uc_engine*>(unicorn); }

constexpr uint32_t kPageBytes = 4096;
constexpr int kSp = 13, kLr = 14, kPc = 15;
constexpr int kRa = 1, kRiscvSp = 2, kT0 = 5, kRiscvPc = 32;

int unicorn_register(bool arm, int reg) {
  if (!arm) return reg == kRiscvPc ? int{UC_RISCV_REG_PC} : UC_RISCV_REG_X0 + reg;
  if (reg == kSp) return UC_ARM_REG_SP;
  if (reg == kLr) return UC_ARM_REG_LR;
  return reg == kPc ? int{UC_ARM_REG_PC} : UC_ARM_REG_R0 + reg;
}

}  // namespace

/// A page of ports or of the core's peripherals.
struct ProgramEngine::Page {
  ProgramEngine* engine = nullptr;
  uint32_t address = 0;
};

/// Unicorn's callbacks. They run inside translated code: no exception may leave them.
struct ProgramEngine::Hooks {
  static ProgramEngine& of(void* user) { return *static_cast<ProgramEngine*>(user); }

  static void block(uc_engine*, uint64_t address, uint32_t size, void* user) {
    ProgramEngine& engine = of(user);
    const auto at = static_cast<uint32_t>(address);
    engine.finish_native_csr();
    engine.executed_ = false;
    if (engine.graph_.enter(at, size) == BlockGraph::Step::kStop) return engine.stop();
    const Instruction* last = engine.graph_.last_instruction();
    if (at == engine.last_block_ && last != nullptr && last->address == at &&
        last->kind == InstructionKind::kJump && !last->call)
      engine.fail(ErrorCode::kFailed,
                  "the program stays at " + engine.image_.place(at) + " for ever");
    engine.last_block_ = at;
  }

  static void timed_block(uc_engine* unicorn, uint64_t address, uint32_t size, void* user) {
    block(unicorn, address, size, user);
    ProgramEngine& engine = of(user);
    const uint64_t before = engine.timing_.waits().fetch;
    engine.timing_.fetch(static_cast<uint32_t>(address), engine.graph_.block_bytes());
    engine.graph_.attribute_wait(engine.timing_.waits().fetch - before);
  }

  static void timed_read(uc_engine*, uc_mem_type, uint64_t address, int size, int64_t, void* user) {
    ProgramEngine& engine = of(user);
    const uint64_t before = engine.timing_.waits().read;
    engine.timing_.read(static_cast<uint32_t>(address), static_cast<uint32_t>(size));
    engine.graph_.attribute_wait(engine.timing_.waits().read - before);
  }

  static void instruction(uc_engine*, uint64_t address, uint32_t, void* user) {
    of(user).address_ = static_cast<uint32_t>(address);
  }

  static void division(uc_engine*, uint64_t address, uint32_t, void* user) {
    ProgramEngine& engine = of(user);
    const auto dividend = riscv_signed_dividend(engine.code_at(static_cast<uint32_t>(address)));
    if (dividend && engine.get(static_cast<int>(*dividend)) >> 31 != 0)
      engine.graph_.charge(engine.graph_.timing().negative_dividend_cycles());
  }

  // RISC-V: the emulator has stepped over the instruction, and goes on after it unless told.
  static void exception(uc_engine*, uint32_t, void* user) {
    ProgramEngine& engine = of(user);
    if (engine.is_arm()) {
      engine.trapped_ = true;
      engine.stop();
    } else {
      engine.trap();
    }
  }

  static bool invalid_access(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t,
                             void* user) {
    ProgramEngine& engine = of(user);
    const std::string place = engine.image_.place(engine.current_address());
    const bool fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
    const bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
    const char* what = fetch ? "jumps to" : write ? "writes" : "reads";
    const bool forbidden = type == UC_MEM_WRITE_PROT;
    engine.fail(
        ErrorCode::kFailed,
        fmt::format("the program {} {:#010x}{} near {}: {} {} there", what, address,
                    fetch ? std::string() : fmt::format(" ({} bytes)", size), place,
                    engine.device_.name, forbidden ? "cannot be written" : "has no memory"));
    return false;
  }

  static uint64_t page_read(uc_engine*, uint64_t offset, unsigned size, void* user) {
    const Page& page = *static_cast<Page*>(user);
    ProgramEngine& engine = *page.engine;
    if (page.address != ArmSystem::kAddress) return 0;
    const uint64_t now = engine.graph_.counts_before(engine.address_).cycles;
    return engine.system_.read(static_cast<uint32_t>(offset), size, now);
  }

  static void page_write(uc_engine*, uint64_t offset, unsigned size, uint64_t value, void* user) {
    const Page& page = *static_cast<Page*>(user);
    ProgramEngine& engine = *page.engine;
    if (page.address != ArmSystem::kAddress)
      return engine.store_to_port(page.address + static_cast<uint32_t>(offset),
                                  static_cast<uint32_t>(value));
    const uint64_t now = engine.graph_.counts_before(engine.address_).cycles;
    engine.system_.write(static_cast<uint32_t>(offset), size, static_cast<uint32_t>(value), now);
    if (engine.system_.reset())
      engine.fail(ErrorCode::kFailed,
                  "the program resets the core at " + engine.image_.place(engine.address_));
  }
};

ProgramEngine::ProgramEngine(const Parts& parts)
    : device_(parts.device),
      facts_(parts.facts),
      image_(parts.image),
      memory_(parts.memory),
      graph_(parts.graph),
      timing_(parts.timing),
      semihosting_(parts.semihosting),
      print_(parts.print),
      csrs_(parts.device.target, parts.facts.counters),
      system_(parts.device.target, parts.image.vector_table.value_or(0)) {}

ProgramEngine::~ProgramEngine() {
  if (unicorn_ != nullptr) uc_close(handle(unicorn_));
}

Result<std::unique_ptr<ProgramEngine>> ProgramEngine::create(const Parts& parts) {
  std::unique_ptr<ProgramEngine> engine(new ProgramEngine(parts));
  TT_TRY(engine->open());
  if (!engine->is_arm()) TT_TRY(engine->enter_user_mode());
  TT_TRY(engine->add_hooks());
  return engine;
}

Status ProgramEngine::open() {
  const auto failed = [](const char* what, uc_err error) {
    return Error(ErrorCode::kFailed, fmt::format("unicorn: {}: {}", what, uc_strerror(error)));
  };
  uc_engine* unicorn = nullptr;
  uc_err error = is_arm() ? uc_open(UC_ARCH_ARM,
                                    static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &unicorn)
                          : uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &unicorn);
  if (error != UC_ERR_OK) return failed("uc_open", error);
  unicorn_ = unicorn;
  if (is_arm()) {
    const bool v8 = device_.target.triple.starts_with("thumbv8m");
    error = uc_ctl_set_cpu_model(unicorn, v8 ? UC_CPU_ARM_CORTEX_M33 : UC_CPU_ARM_CORTEX_M7);
    if (error != UC_ERR_OK) return failed("uc_ctl_set_cpu_model", error);
  }
  for (const Memory::Region& region : memory_.regions()) {
    const uint32_t rights =
        uint32_t{UC_PROT_READ} | UC_PROT_EXEC | (region.writable ? uint32_t{UC_PROT_WRITE} : 0u);
    error = uc_mem_map_ptr(unicorn, region.address, region.size_bytes, rights, region.host);
    if (error != UC_ERR_OK) return failed("uc_mem_map_ptr", error);
  }
  error = uc_mem_map(unicorn, kReturnAddress, kPageBytes, UC_PROT_READ | UC_PROT_EXEC);
  if (error != UC_ERR_OK) return failed("uc_mem_map", error);
  const auto map_page = [&](uint32_t address, uint32_t size_bytes) {
    pages_.push_back(std::make_unique<Page>(Page{this, address}));
    Page* page = pages_.back().get();
    return uc_mmio_map(unicorn, address, size_bytes, &Hooks::page_read, page, &Hooks::page_write,
                       page);
  };
  std::set<uint32_t> ports;
  for (const Port& port : facts_.ports) ports.insert(port.address & ~(kPageBytes - 1));
  for (const uint32_t page : ports) {
    error = map_page(page, kPageBytes);
    if (error != UC_ERR_OK) return failed("uc_mmio_map", error);
  }
  if (is_arm()) {
    error = map_page(ArmSystem::kAddress, ArmSystem::kBytes);
    if (error != UC_ERR_OK) return failed("uc_mmio_map", error);
  }
  return ok_status();
}

// By the return from a trap that never was; before there are hooks.
Status ProgramEngine::enter_user_mode() {
  constexpr uint32_t kLeave[] = {0x34129073 /* csrw mepc, t0 */, 0x30200073 /* mret */};
  const uint32_t from = kReturnAddress + 0x100, to = kReturnAddress + 0x200;
  uc_err error = uc_mem_write(handle(unicorn_), from, kLeave, sizeof kLeave);
  set(kT0, to);
  if (error == UC_ERR_OK) error = uc_emu_start(handle(unicorn_), from, to, 0, 0);
  if (error != UC_ERR_OK)
    return Error(ErrorCode::kFailed, fmt::format("unicorn: {}", uc_strerror(error)));
  return ok_status();
}

Status ProgramEngine::add_hooks() {
  uc_err error = UC_ERR_OK;
  // A range that ends before it begins is everywhere.
  const auto hook = [&](int type, auto* callback, uint64_t begin = 1, uint64_t end = 0) {
    uc_hook unused;
    if (error == UC_ERR_OK)
      error = uc_hook_add(handle(unicorn_), &unused, type, reinterpret_cast<void*>(callback), this,
                          begin, end);
  };
  hook(UC_HOOK_MEM_INVALID, &Hooks::invalid_access);
  hook(UC_HOOK_INTR, &Hooks::exception);
  const std::vector<AddressRange> reads = timing_.timed_reads();
  hook(UC_HOOK_BLOCK, timing_.times_fetches(image_.filled) ? &Hooks::timed_block : &Hooks::block);
  for (const AddressRange& range : reads)
    hook(UC_HOOK_MEM_READ, &Hooks::timed_read, range.address,
         uint64_t{range.address} + range.size_bytes - 1);
  if (is_arm()) hook(UC_HOOK_CODE, &Hooks::instruction);
  if (!is_arm() && graph_.timing().negative_dividend_cycles() != 0) {
    for (const AddressRange& range : image_.filled)
      for (uint64_t at = range.address; at + 4 <= uint64_t{range.address} + range.size_bytes;
           at += 2)
        if (riscv_signed_dividend(code_at(static_cast<uint32_t>(at))))
          hook(UC_HOOK_CODE, &Hooks::division, at, at);
  }
  graph_.set_condition([this](const Instruction& branch) {
    return !is_arm() && riscv_branch_holds(code_at(branch.address), [&](unsigned reg) {
      return get(static_cast<int>(reg));
    });
  });
  if (error == UC_ERR_OK) return ok_status();
  return Error(ErrorCode::kFailed, fmt::format("unicorn: {}", uc_strerror(error)));
}

uint32_t ProgramEngine::get(int reg) const {
  uint32_t value = 0;
  uc_reg_read(handle(unicorn_), unicorn_register(is_arm(), reg), &value);
  return value;
}

void ProgramEngine::set(int reg, uint32_t value) {
  uc_reg_write(handle(unicorn_), unicorn_register(is_arm(), reg), &value);
}

uint32_t ProgramEngine::code_at(uint32_t address) const {
  uint32_t code = 0;
  std::span<const uint8_t> bytes = memory_.at(address, 4);
  if (bytes.empty()) bytes = memory_.at(address, 2);
  if (!bytes.empty()) std::memcpy(&code, bytes.data(), bytes.size());
  return code;
}

uint32_t ProgramEngine::current_address() const {
  return is_arm() && address_ != 0 ? address_ : graph_.block_address();
}

void ProgramEngine::stop() { uc_emu_stop(handle(unicorn_)); }

void ProgramEngine::fail(ErrorCode code, const std::string& what) {
  if (!error_ && !outcome_) error_ = Error(code, what);
  stop();
}

void ProgramEngine::finish(ProgramReport::End end, int status) {
  if (!error_ && !outcome_) outcome_ = Outcome{end, current_address(), status, 0};
  stop();
}

void ProgramEngine::store_to_port(uint32_t address, uint32_t value) {
  if (outcome_ || error_) return;
  for (const Port& port : facts_.ports) {
    if (port.address != address) continue;
    const char character = static_cast<char>(value);
    switch (port.does) {
      case Port::Does::kPrintCharacter:
        return print_({&character, 1});
      case Port::Does::kPrintHex:
        return print_(fmt::format("{:08x}\n", value));
      case Port::Does::kExit:
        return finish(ProgramReport::End::kExit, static_cast<int>(value));
    }
  }
}

Result<ProgramEngine::Outcome> ProgramEngine::run(uint32_t start, uint32_t stack_pointer) {
  set(is_arm() ? kSp : kRiscvSp, stack_pointer);
  set(is_arm() ? kLr : kRa, is_arm() ? kReturnAddress | 1 : kReturnAddress);
  if (!is_arm()) set(kT0, 0);
  uint32_t pc = start;
  for (;;) {
    next_.reset();
    trapped_ = false;
    const uc_err error =
        uc_emu_start(handle(unicorn_), is_arm() ? pc | 1u : pc, kReturnAddress, 0, 0);
    if (outcome_) break;
    if (error_) return *error_;
    const BlockGraph::Stop& stopped = graph_.stopped_by();
    if (stopped.end == CallEnd::kInstructionLimit)
      return Error(ErrorCode::kFailed, stopped.detail + "; --limit sets another");
    if (stopped.end != CallEnd::kReturned)
      return Error(ErrorCode::kUnsupported,
                   stopped.detail + ", in " + image_.place(graph_.block_address()));
    if (trapped_ || error == UC_ERR_INSN_INVALID) trap();
    if (outcome_) break;
    if (error_) return *error_;
    if (next_) {
      pc = *next_;
      continue;
    }
    const uint32_t at = get(is_arm() ? kPc : kRiscvPc) & ~1u;
    if (error != UC_ERR_OK)
      return Error(ErrorCode::kFailed, fmt::format("{} in the block at {}", uc_strerror(error),
                                                   image_.place(graph_.block_address())));
    if (at != kReturnAddress)
      return Error(ErrorCode::kFailed,
                   "the program sleeps before " + image_.place(at) + ", and no interrupt comes");
    outcome_ = Outcome{ProgramReport::End::kReturn, start, 0, get(is_arm() ? 0 : 10)};
    break;
  }
  graph_.finish(kReturnAddress);
  return *outcome_;
}

}  // namespace tinytune
