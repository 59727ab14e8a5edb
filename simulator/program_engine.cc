#include "simulator/program_engine.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <set>

#include "simulator/arm_prefetch.h"
#include "simulator/riscv_execute.h"

namespace tinytune {
namespace {

constexpr uint32_t kPageBytes = 4096;
constexpr unsigned kSp = 13, kLr = 14, kPc = 15;
constexpr unsigned kRa = 1, kRiscvSp = 2, kT0 = 5;

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
    if (engine.fault_) return engine.stop();
    if (engine.banks_ != nullptr) engine.banks_->leave_for(at, engine.graph_);
    engine.accesses_ = 0;
    engine.finish_native_csr();
    engine.executed_ = false;
    if (engine.graph_.enter(at, size) == BlockGraph::Step::kStop) return engine.stop();
    if (engine.graph_.uses_floats() && !engine.system_.floating_point_enabled())
      engine.refuse_floats();
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
    engine.timing_.read(static_cast<uint32_t>(address), static_cast<uint32_t>(size),
                        engine.graph_.clock());
    engine.graph_.attribute_wait(engine.timing_.waits().read - before);
  }

  static void prefetch(uc_engine*, uint64_t address, uint32_t, void* user) {
    ProgramEngine& engine = of(user);
    const auto hint = arm_prefetch(engine.memory_.code_at(static_cast<uint32_t>(address)));
    if (!hint) return;
    const uint64_t before = engine.timing_.waits().read;
    engine.timing_.prefetch(engine.get(hint->base) + hint->offset, engine.graph_.clock());
    engine.graph_.attribute_wait(engine.timing_.waits().read - before);
  }

  static void striped_access(uc_engine*, uc_mem_type, uint64_t address, int, int64_t, void* user) {
    of(user).banks_->access(static_cast<uint32_t>(address));
  }

  static void access(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t,
                     void* user) {
    ProgramEngine& engine = of(user);
    ++engine.accesses_;
    const auto bytes = static_cast<uint32_t>(size);
    if ((address & (std::min(bytes, 4u) - 1)) != 0 || engine.fault_)
      engine.check_alignment(type == UC_MEM_WRITE, static_cast<uint32_t>(address), bytes);
  }

  static void instruction(uc_engine*, uint64_t address, uint32_t, void* user) {
    ProgramEngine& engine = of(user);
    engine.address_ = static_cast<uint32_t>(address);
    if (engine.system_.traps_division_by_zero()) engine.check_divisor();
    if (!engine.vectors_) return;
    engine.correct_mistaken();
    engine.hand_vectors_over();
  }

  static void division(uc_engine*, uint64_t address, uint32_t, void* user) {
    ProgramEngine& engine = of(user);
    const auto dividend =
        riscv_signed_dividend(engine.memory_.code_at(static_cast<uint32_t>(address)));
    if (dividend && engine.get(*dividend) >> 31 != 0)
      engine.graph_.charge(engine.graph_.timing().negative_dividend_cycles());
  }

  // RISC-V: the emulator has stepped over the instruction, and continues after it unless stopped.
  static void exception(uc_engine*, uint32_t, void* user) {
    ProgramEngine& engine = of(user);
    if (engine.fault_) return engine.stop();
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
    const char* why = type == UC_MEM_WRITE_PROT   ? "cannot be written"
                      : type == UC_MEM_FETCH_PROT ? "cannot be fetched from"
                                                  : "has no memory";
    engine.fail(ErrorCode::kFailed,
                fmt::format("the program {} {:#010x}{} near {}: {} {} there", what, address,
                            fetch ? std::string() : fmt::format(" ({} bytes)", size), place,
                            engine.device_.name, why));
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

ProgramEngine::ProgramEngine(const Parts& parts, UnicornCore core)
    : device_(parts.device),
      facts_(parts.facts),
      image_(parts.image),
      memory_(parts.memory),
      graph_(parts.graph),
      timing_(parts.timing),
      banks_(parts.banks.meets(parts.image.filled) ? &parts.banks : nullptr),
      semihosting_(parts.semihosting),
      print_(parts.print),
      csrs_(parts.device.target, parts.facts),
      system_(parts.device.target, parts.image.vector_table.value_or(0)),
      vectors_(make_vector_unit(parts.device.target)),
      core_(std::move(core)) {}

ProgramEngine::~ProgramEngine() = default;

Result<std::unique_ptr<ProgramEngine>> ProgramEngine::create(const Parts& parts) {
  TT_TRY_ASSIGN(UnicornCore core, UnicornCore::open(parts.device.target, parts.memory));
  std::unique_ptr<ProgramEngine> engine(new ProgramEngine(parts, std::move(core)));
  TT_TRY(engine->map_pages());
  if (!engine->is_arm()) TT_TRY(engine->enter_user_mode());
  TT_TRY(engine->add_hooks());
  return engine;
}

Status ProgramEngine::map_pages() {
  const auto map = [&](uint32_t address, uint32_t size_bytes) -> Status {
    pages_.push_back(std::make_unique<Page>(Page{this, address}));
    Page* page = pages_.back().get();
    const uc_err error = uc_mmio_map(core_.handle(), address, size_bytes, &Hooks::page_read, page,
                                     &Hooks::page_write, page);
    if (error == UC_ERR_OK) return ok_status();
    return Error(ErrorCode::kFailed, fmt::format("unicorn: uc_mmio_map: {}", uc_strerror(error)));
  };
  std::set<uint32_t> ports;
  for (const Port& port : facts_.ports) ports.insert(port.address & ~(kPageBytes - 1));
  for (const uint32_t page : ports) TT_TRY(map(page, kPageBytes));
  return is_arm() ? map(ArmSystem::kAddress, ArmSystem::kBytes) : ok_status();
}

// Returns from a trap that never happened; called before hooks are added.
Status ProgramEngine::enter_user_mode() {
  constexpr uint32_t kLeave[] = {0x34129073 /* csrw mepc, t0 */, 0x30200073 /* mret */};
  const uint32_t from = kReturnAddress + 0x100, to = kReturnAddress + 0x200;
  uc_err error = uc_mem_write(core_.handle(), from, kLeave, sizeof kLeave);
  set(kT0, to);
  if (error == UC_ERR_OK) error = uc_emu_start(core_.handle(), from, to, 0, 0);
  if (error != UC_ERR_OK)
    return Error(ErrorCode::kFailed, fmt::format("unicorn: {}", uc_strerror(error)));
  return ok_status();
}

Status ProgramEngine::add_hooks() {
  TT_TRY(core_.add_hook(UC_HOOK_MEM_INVALID, &Hooks::invalid_access, this));
  TT_TRY(core_.add_hook(UC_HOOK_INTR, &Hooks::exception, this));
  const bool timed = timing_.times_fetches(image_.filled);
  TT_TRY(core_.add_hook(UC_HOOK_BLOCK, timed ? &Hooks::timed_block : &Hooks::block, this));
  for (const AddressRange& range : timing_.timed_reads())
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ, &Hooks::timed_read, this, range.address,
                          uint64_t{range.address} + range.size_bytes - 1));
  if (banks_ != nullptr)
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::striped_access, this));
  if (is_arm() || facts_.misaligned_faults ||
      device_.target.features.find("+a") != std::string::npos)
    TT_TRY(core_.add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::access, this));
  graph_.set_registers([this](unsigned reg) { return get(reg); });
  if (is_arm()) {
    for (const AddressRange& range : image_.filled)
      for (const uint32_t at :
           arm_prefetches(memory_.at(range.address, range.size_bytes), range.address))
        TT_TRY(core_.add_hook(UC_HOOK_CODE, &Hooks::prefetch, this, at, at));
    return core_.add_hook(UC_HOOK_CODE, &Hooks::instruction, this);
  }
  if (graph_.timing().negative_dividend_cycles() == 0) return ok_status();
  for (const AddressRange& range : image_.filled)
    for (const uint32_t at :
         riscv_signed_divisions(memory_.at(range.address, range.size_bytes), range.address))
      TT_TRY(core_.add_hook(UC_HOOK_CODE, &Hooks::division, this, at, at));
  return ok_status();
}

uint32_t ProgramEngine::current_address() const {
  return is_arm() && address_ != 0 ? address_ : graph_.block_address();
}

void ProgramEngine::stop() { uc_emu_stop(core_.handle()); }

void ProgramEngine::fail(ErrorCode code, const std::string& what) {
  if (!error_ && !outcome_ && !fault_) error_ = Error(code, what);
  stop();
}

// Refuses a block with floating point: the emulator's FPU is always on.
void ProgramEngine::refuse_floats() {
  for (const Instruction& instruction : graph_.instructions())
    if (instruction.is_float())
      return fail(ErrorCode::kFailed,
                  fmt::format("the program uses the FPU at {}, where the chip faults: it is off "
                              "(CPACR, 0xe000ed88)",
                              image_.place(instruction.address)));
}

void ProgramEngine::finish(ProgramReport::End end, int status) {
  if (!error_ && !outcome_ && !fault_) outcome_ = Outcome{end, current_address(), status, 0};
  stop();
}

void ProgramEngine::store_to_port(uint32_t address, uint32_t value) {
  if (outcome_ || error_ || fault_) return;
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
        uc_emu_start(core_.handle(), is_arm() ? pc | 1u : pc, kReturnAddress, 0, 0);
    if (outcome_) break;
    if (error_) return *error_;
    if (fault_) {
      pc = take_fault();
      continue;
    }
    const BlockGraph::Stop& stopped = graph_.stopped_by();
    if (stopped.end == CallEnd::kInstructionLimit)
      return Error(ErrorCode::kFailed, stopped.detail + "; --limit sets another");
    if (stopped.floating_point && !system_.floating_point_enabled())
      return Error(ErrorCode::kFailed,
                   stopped.detail + ", in " + image_.place(graph_.block_address()) +
                       "; the chip faults as well: its FPU is off (CPACR, 0xe000ed88)");
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
    const uint32_t at = get(is_arm() ? kPc : UnicornCore::kRiscvPc) & ~1u;
    if (error != UC_ERR_OK)
      return Error(ErrorCode::kFailed, fmt::format("{} in the block at {}", uc_strerror(error),
                                                   image_.place(graph_.block_address())));
    if (at != kReturnAddress)
      return Error(ErrorCode::kFailed,
                   "the program sleeps before " + image_.place(at) + ", and no interrupt comes");
    outcome_ = Outcome{ProgramReport::End::kReturn, start, 0, get(is_arm() ? 0 : 10)};
    break;
  }
  if (!handled_.empty())
    return Error(ErrorCode::kFailed, handled_ + "; the program ends in its exception handler");
  if (banks_ != nullptr) banks_->leave_for(kReturnAddress, graph_);
  graph_.finish(kReturnAddress);
  return *outcome_;
}

}  // namespace tinytune
