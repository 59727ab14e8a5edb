// Actions of a program that the emulator cannot run: calls of the host, control and status
// registers, instructions that the emulator lacks, faults, and the end of the program.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/program_engine.h"
#include "simulator/riscv_execute.h"

namespace tinytune {
namespace {

uint32_t bits(uint32_t code, unsigned high, unsigned low) {
  return code >> low & ((2u << (high - low)) - 1);
}

constexpr uint32_t kInterrupts = 1u << 3, kInterruptsBefore = 1u << 7;  // MIE, MPIE
constexpr uint32_t kBeforeTrap = 3u << 11;                              // MPP: machine mode

constexpr unsigned kProgramCounter = 15;

bool is_csr_access(uint32_t code) { return (code & 0x7F) == 0x73 && bits(code, 14, 12) % 4 != 0; }

}  // namespace

void ProgramEngine::trap() {
  correct_mistaken();
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand) {
    const uint32_t near = current_address();
    // Unicorn 2.1 refuses an unaligned LDREX itself, before it calls the hook of the access.
    const Instruction* refused = is_arm() ? graph_.instruction_at(near) : nullptr;
    if (refused != nullptr && refused->aligned_only)
      return fail(
          ErrorCode::kFailed,
          fmt::format("the program accesses an unaligned address, on which {} faults, at {}",
                      device_.name, described(near)));
    return fail(ErrorCode::kFailed, "the program takes an exception near " + image_.place(near));
  }
  executed_ = true;
  if (last->vector) return run_vectors();
  const uint32_t code = memory_.code_at(last->address);
  is_arm() ? trap_arm(*last, code) : trap_riscv(*last, code);
}

void ProgramEngine::trap_arm(const Instruction& at, uint32_t code) {
  constexpr uint32_t kSemihosting = 0xBEAB;
  address_ = at.address;
  if ((code & 0xFFFF) == kSemihosting) return call_host(0, 1, at.address + 2);
  if ((code & 0xFF00) == 0xBE00) return finish(ProgramReport::End::kBreakpoint, 0);
  if ((code & 0xFF00) == 0xDF00)
    return fail(ErrorCode::kUnsupported,
                "svc at " + image_.place(at.address) + ": exceptions are not simulated");
  fail(ErrorCode::kFailed, "the program ends itself with udf at " + image_.place(at.address));
}

void ProgramEngine::trap_riscv(const Instruction& at, uint32_t code) {
  constexpr uint32_t kBefore = 0x01F01013, kAfter = 0x40705013;  // slli, srai of zero
  constexpr uint32_t kEcall = 0x00000073, kEbreak = 0x00100073, kMret = 0x30200073;
  const auto read = [&](unsigned reg) { return get(reg); };
  if (const auto written = execute_bit_manipulation(code, read)) {
    if (written->reg != 0) set(written->reg, written->value);
  } else if (is_csr_access(code)) {
    access_csr(at, code);
  } else if (code == kEbreak && memory_.code_at(at.address - 4) == kBefore &&
             memory_.code_at(at.address + 4) == kAfter) {
    call_host(10, 11, at.address + 4);
  } else if (code == kEbreak || (code & 0xFFFF) == 0x9002) {
    finish(ProgramReport::End::kBreakpoint, 0);
  } else if (code == kEcall) {
    environment_call(at);
  } else if (code == kMret) {
    uint32_t& status = csrs_.at(CsrFile::kMstatus);
    status = (status & ~kInterrupts) | (status & kInterruptsBefore) >> 4 | kInterruptsBefore;
    next_ = csrs_.read(CsrFile::kMepc, Counts()).value_or(0);
    handled_.clear();
    stop();
  } else {
    fail(ErrorCode::kFailed,
         "the program sleeps at " + image_.place(at.address) + ", and no interrupt comes");
  }
}

// Called before each instruction: copies the vectors to the emulator if it executes it natively.
void ProgramEngine::hand_vectors_over() {
  const uint32_t code = memory_.code_at(address_);
  if (vectors_->taken_for_another(code)) return execute_mistaken(code);
  if (vectors_are_native_ || !vectors_->runs_natively(code)) return;
  core_.write_vectors(vectors_->registers());
  vectors_are_native_ = true;
}

// Computes the correct result before the emulator executes another instruction instead;
// correct_mistaken() restores it afterwards.
void ProgramEngine::execute_mistaken(uint32_t code) {
  vector_address_ = address_;
  if (vectors_->execute(address_, code, *this) != VectorUnit::Outcome::kExecuted)
    return fail(ErrorCode::kFailed, fmt::format("illegal instruction at {}: {}",
                                                described(address_), vectors_->reason()));
  corrected_.emplace();
  for (unsigned reg = 0; reg < corrected_->size(); ++reg) (*corrected_)[reg] = get(reg);
}

void ProgramEngine::correct_mistaken() {
  if (!corrected_) return;
  for (unsigned reg = 0; reg < corrected_->size(); ++reg)
    if (reg != kProgramCounter && get(reg) != (*corrected_)[reg]) set(reg, (*corrected_)[reg]);
  corrected_.reset();
}

void ProgramEngine::take_vectors_back() {
  if (vectors_are_native_) core_.read_vectors(vectors_->registers());
  vectors_are_native_ = false;
}

void ProgramEngine::run_vectors() {
  take_vectors_back();
  const std::span<const Instruction> run = graph_.vector_run();
  resume_at_ = run.back().address + run.back().size_bytes;
  const uint32_t stepped_to = run.front().address + run.front().size_bytes;
  const auto outcome = execute_run(*vectors_, run, *this, vector_address_);
  if (outcome == VectorUnit::Outcome::kIllegal)
    fail(ErrorCode::kFailed, fmt::format("illegal instruction at {}: {}",
                                         described(vector_address_), vectors_->reason()));
  if (outcome != VectorUnit::Outcome::kExecuted) return stop();
  if (is_arm())
    next_ = resume_at_;  // the emulator has been left
  else if (resume_at_ != stepped_to)
    core_.resume_at(resume_at_);
}

std::span<uint8_t> ProgramEngine::vector_access(uint32_t address, uint32_t size_bytes,
                                                uint32_t element_bytes, bool is_write) {
  const std::span<uint8_t> bytes = memory_.at(address, size_bytes);
  if (bytes.empty() || (is_write && !memory_.region(address)->writable)) {
    fail(ErrorCode::kFailed,
         fmt::format("the program {} {:#010x} ({} bytes) near {}: {} {} there",
                     is_write ? "writes" : "reads", address, size_bytes, described(vector_address_),
                     device_.name, bytes.empty() ? "has no memory" : "cannot be written"));
    return {};
  }
  if (address % element_bytes != 0) {
    if (facts_.misaligned_faults) {
      fail(ErrorCode::kFailed,
           fmt::format("the program {} vectors of {} bytes at the unaligned address {:#010x}, on "
                       "which {} faults, at {}",
                       is_write ? "writes" : "reads", element_bytes, address, device_.name,
                       described(vector_address_)));
      return {};
    }
    graph_.charge(graph_.timing().unaligned_cycles(is_write, address, element_bytes) * size_bytes /
                  element_bytes);
  }
  if (is_write) return bytes;
  const uint64_t before = timing_.waits().read;
  timing_.read(address, size_bytes, graph_.clock());
  graph_.attribute_wait(timing_.waits().read - before);
  return bytes;
}

void ProgramEngine::access_csr(const Instruction& at, uint32_t code) {
  const uint32_t csr = code >> 20, how = bits(code, 13, 12), source = bits(code, 19, 15);
  const bool immediate = bits(code, 14, 14) != 0;
  const uint32_t operand = immediate ? source : get(source);
  const Counts now = graph_.counts_before(at.address);
  const std::optional<uint32_t> old = csrs_.read(csr, now);
  uint32_t value = operand;
  if (how == 2) value = old.value_or(0) | operand;
  if (how == 3) value = old.value_or(0) & ~operand;
  const bool writes = how == 1 || source != 0;
  if (!old || (writes && !csrs_.write(csr, value, now)))
    return fail(ErrorCode::kUnsupported, fmt::format("{} has no register {:#05x}, used at {}",
                                                     device_.name, csr, image_.place(at.address)));
  const uint32_t destination = bits(code, 11, 7);
  if (destination != 0) set(destination, *old);
}

// Counters for user mode do not trap: replaces the emulator's own value in the register.
void ProgramEngine::finish_native_csr() {
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand || executed_ || is_arm()) return;
  const uint32_t code = memory_.code_at(last->address);
  if (is_csr_access(code)) access_csr(*last, code);
}

// If the program has not set mtvec, traps go to address 0, if a range is loaded there and the entry
// is elsewhere.
std::optional<uint32_t> ProgramEngine::trap_handler() const {
  const uint32_t vector = csrs_.vector();
  if (vector != 0) return vector;
  for (const AddressRange& range : image_.filled)
    if (range.address == 0 && image_.entry != 0) return 0;
  return std::nullopt;
}

void ProgramEngine::set_trap(uint32_t cause, uint32_t at) {
  csrs_.at(CsrFile::kMepc) = at;
  csrs_.at(CsrFile::kMcause) = cause;
  uint32_t& status = csrs_.at(CsrFile::kMstatus);
  status =
      (status & ~(kInterrupts | kInterruptsBefore)) | (status & kInterrupts) << 4 | kBeforeTrap;
}

std::string ProgramEngine::described(uint32_t instruction_address) {
  const std::string text = graph_.text_at(instruction_address);
  return image_.place(instruction_address) + (text.empty() ? "" : ": " + text);
}

// Unaligned accesses work on Arm's larger cores for a single register, unless the program traps
// them; on RISC-V as the device file says. Atomic ones work nowhere.
void ProgramEngine::check_alignment(bool is_write, uint32_t address, uint32_t size_bytes) {
  const auto keep = [&] {
    const auto bytes = memory_.at(address, size_bytes);
    if (is_write && !bytes.empty())
      fault_->overwritten.emplace_back(address, std::vector<uint8_t>(bytes.begin(), bytes.end()));
  };
  if (fault_) return keep();
  const uint32_t at = is_arm() ? address_ : graph_.access_address(accesses_ - 1);
  const Instruction* instruction = graph_.instruction_at(at);
  const bool aligned_only = instruction != nullptr && instruction->aligned_only;
  const bool faults =
      aligned_only || (is_arm() ? system_.traps_misaligned() : facts_.misaligned_faults);
  if (!faults) {
    graph_.charge(graph_.timing().unaligned_cycles(is_write, address, size_bytes));
    return;
  }
  const std::string what = fmt::format(
      "the program {} {} bytes at the unaligned address {:#010x}, on which {} faults, "
      "at {}",
      is_write ? "writes" : "reads", size_bytes, address, device_.name, described(at));
  if (is_arm() || !handled_.empty() || !trap_handler()) return fail(ErrorCode::kFailed, what);
  constexpr uint32_t kMisalignedLoad = 4, kMisalignedStore = 6;
  const bool as_store = instruction != nullptr && !instruction->is_load();
  fault_.emplace();
  fault_->cause = as_store ? kMisalignedStore : kMisalignedLoad;
  fault_->at = at;
  for (unsigned reg = 1; reg < 32; ++reg) fault_->registers[reg] = get(reg);
  keep();
  handled_ = what;
  stop();
}

uint32_t ProgramEngine::take_fault() {
  for (auto it = fault_->overwritten.rbegin(); it != fault_->overwritten.rend(); ++it)
    std::copy(it->second.begin(), it->second.end(),
              memory_.at(it->first, it->second.size()).begin());
  for (unsigned reg = 1; reg < 32; ++reg) set(reg, fault_->registers[reg]);
  set_trap(fault_->cause, fault_->at);
  executed_ = true;  // the block's last instruction has not run
  fault_.reset();
  return *trap_handler();
}

// Called only if the program traps division by zero; else the result is 0.
void ProgramEngine::check_divisor() {
  const uint32_t code = memory_.code_at(address_);  // its half words, the first one lowest
  const bool divides = (code & 0xFFD0) == 0xFB90 && (code >> 16 & 0xF0F0) == 0xF0F0;
  const Instruction* instruction = divides ? graph_.instruction_at(address_) : nullptr;
  if (instruction == nullptr || instruction->conditional || get(code >> 16 & 15) != 0) return;
  fail(ErrorCode::kFailed,
       "the program divides by zero, which it has trapped (CCR), at " + described(address_));
}

// Traps to a handler that the program has set. Otherwise exits, writes, closes and moves the break
// as newlib's port without an operating system expects; newlib's other calls return ENOSYS.
void ProgramEngine::environment_call(const Instruction& at) {
  constexpr uint32_t kClose = 57, kWrite = 64, kExit = 93, kExitGroup = 94, kBreak = 214;
  constexpr uint32_t kOthers[] = {17,   25,   29,   48,   49,   56,   61,   62,  63,
                                  78,   79,   80,   113,  129,  134,  153,  160, 163,
                                  169,  172,  174,  175,  176,  177,  215,  222, 1024,
                                  1025, 1026, 1030, 1033, 1038, 1039, 1062, 2011};
  constexpr unsigned kA0 = 10, kA1 = 11, kA2 = 12, kA7 = 17;
  constexpr uint32_t kFromMachineMode = 11;
  const uint32_t number = get(kA7);
  const auto to_handler = [&] {
    set_trap(kFromMachineMode, at.address);
    next_ = trap_handler();
    stop();
  };
  if (csrs_.vector() != 0) return to_handler();
  if (number == kExit || number == kExitGroup)
    return finish(ProgramReport::End::kExit, static_cast<int>(get(kA0)));
  if (number == kWrite) {
    const auto bytes = memory_.at(get(kA1), get(kA2));
    if (!bytes.empty()) print_({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return set(kA0, static_cast<uint32_t>(bytes.size()));
  }
  if (number == kClose) return set(kA0, 0);
  if (number == kBreak) {
    if (get(kA0) != 0) program_break_ = get(kA0);
    for (const AddressRange& range : image_.filled)
      if (program_break_ == 0 || range.address + range.size_bytes > program_break_)
        program_break_ = (range.address + range.size_bytes + 15) & ~15u;
    return set(kA0, program_break_);
  }
  if (std::find(std::begin(kOthers), std::end(kOthers), number) != std::end(kOthers))
    return set(kA0, static_cast<uint32_t>(-38));  // ENOSYS
  if (trap_handler()) return to_handler();
  fail(ErrorCode::kFailed,
       fmt::format("ecall with a7 = {} at {}: the program has set no handler (mtvec), and newlib "
                   "has no such call",
                   number, image_.place(at.address)));
}

void ProgramEngine::call_host(uint32_t operation_register, uint32_t parameter_register,
                              uint32_t next) {
  const uint64_t cycles = graph_.counts_before(next).cycles;
  const uint32_t result =
      semihosting_.call(get(operation_register), get(parameter_register), cycles);
  if (semihosting_.exit_status())
    return finish(ProgramReport::End::kExit, *semihosting_.exit_status());
  set(operation_register, result);
  next_ = next;
  stop();
}

}  // namespace tinytune
