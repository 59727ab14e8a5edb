// What a program does that the emulator cannot: calls of the host, control and status registers,
// instructions that only we know, and the ways in which it ends.
#include <fmt/format.h>

#include "simulator/program_engine.h"
#include "simulator/riscv_execute.h"

namespace tinytune {
namespace {

uint32_t bits(uint32_t code, unsigned high, unsigned low) {
  return code >> low & ((2u << (high - low)) - 1);
}

bool is_csr_access(uint32_t code) { return (code & 0x7F) == 0x73 && bits(code, 14, 12) % 4 != 0; }

}  // namespace

void ProgramEngine::trap() {
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand)
    return fail(ErrorCode::kFailed,
                "the program takes an exception near " + image_.place(current_address()));
  executed_ = true;
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
    next_ = csrs_.read(CsrFile::kMepc, Counts()).value_or(0);
    stop();
  } else {
    fail(ErrorCode::kFailed,
         "the program sleeps at " + image_.place(at.address) + ", and no interrupt comes");
  }
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

// Counters for user mode do not trap: the emulator has put its own idea into the register.
void ProgramEngine::finish_native_csr() {
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand || executed_ || is_arm()) return;
  const uint32_t code = memory_.code_at(last->address);
  if (is_csr_access(code)) access_csr(*last, code);
}

// To a handler that the program has set; else as newlib's port without an operating system means
// it.
void ProgramEngine::environment_call(const Instruction& at) {
  constexpr uint32_t kClose = 57, kWrite = 64, kExit = 93, kExitGroup = 94, kBreak = 214;
  constexpr unsigned kA0 = 10, kA1 = 11, kA2 = 12, kA7 = 17;
  const uint32_t handler = csrs_.read(CsrFile::kMtvec, Counts()).value_or(0) & ~3u;
  const uint32_t number = get(kA7);
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
  if (handler == 0) return set(kA0, static_cast<uint32_t>(-38));  // ENOSYS
  constexpr uint32_t kFromMachineMode = 11;
  csrs_.write(CsrFile::kMepc, at.address, Counts());
  csrs_.write(CsrFile::kMcause, kFromMachineMode, Counts());
  next_ = handler;
  stop();
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
