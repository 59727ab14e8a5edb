// RISC-V, machine mode. Source: The RISC-V Instruction Set Manual, volume II; the calling
// convention is the psABI's ilp32.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/little_endian.h"
#include "rpc_device/boards/gdb/core_driver.h"

namespace tinytune::gdb {
namespace {

constexpr uint32_t kMstatus = 0x300, kMtvec = 0x305, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343,
                   kDcsr = 0x7B0;
constexpr uint32_t kStopCount = 1u << 10;  // of dcsr: counters stop while the core is halted
constexpr uint32_t kEbreak = 0x00100073;
constexpr std::array<std::string_view, 13> kSaved = {"sp", "fp", "s1", "s2", "s3",  "s4", "s5",
                                                     "s6", "s7", "s8", "s9", "s10", "s11"};
constexpr size_t kArgumentRegisters = 8;

class RiscvDriver final : public CoreDriver {
 public:
  using CoreDriver::CoreDriver;

  Status check(const RegisterSet& registers) const override {
    TT_TRY(need_all(registers, {"pc", "sp", "ra", "a0", "a7"}));
    if (!registers.csr(facts_.counter_csr))
      return Error(ErrorCode::kUnsupported,
                   "the GDB server does not describe CSRs, so the cycle counter cannot be read");
    return ok_status();
  }

  // Every entry of the vector table is a breakpoint instruction. Vectored mode, because some cores
  // have no other; they take exceptions at the first entry.
  Status prepare(Client& client, const Foothold& foothold) override {
    const std::vector<uint32_t> table(Foothold::kBytes / 4, kEbreak);
    TT_TRY(client.write_memory(foothold.address, little_endian_bytes(table)));
    TT_TRY(client.set_breakpoint(foothold.address));
    TT_TRY(client.set_breakpoint(foothold.returns_to()));
    TT_TRY(write_csr(client, kMtvec, foothold.address | 1));
    TT_TRY(write_csr(client, kMstatus, 3u << 11));  // interrupts off, machine mode
    if (client.registers().find("dcsr") != nullptr) {
      TT_TRY_ASSIGN(const uint64_t dcsr, read_csr(client, kDcsr));
      TT_TRY(write_csr(client, kDcsr, static_cast<uint32_t>(dcsr) | kStopCount));
    }
    if (facts_.inhibit_csr == 0) return ok_status();
    const auto inhibit = read_csr(client, facts_.inhibit_csr);
    if (!inhibit) return ok_status();  // a core without this CSR always counts
    const uint32_t bit = 1u << facts_.inhibit_bit;
    if ((*inhibit & bit) == 0) return ok_status();
    return write_csr(client, facts_.inhibit_csr, static_cast<uint32_t>(*inhibit) & ~bit);
  }

  Status begin(Client& client, const Foothold& foothold, const CoreCall& call) override {
    const std::span<const uint32_t> arguments = call.arguments;
    const size_t in_registers = std::min(arguments.size(), kArgumentRegisters);
    TT_TRY_ASSIGN(const uint32_t sp,
                  push_arguments(client, device_, arguments.subspan(in_registers)));
    TT_TRY(set(client, "sp", sp));
    for (size_t i = 0; i < in_registers; ++i)
      TT_TRY(set(client, "a" + std::to_string(i), arguments[i]));
    TT_TRY(set(client, "ra", foothold.returns_to()));
    TT_TRY(set(client, "pc", call.function));
    TT_TRY_ASSIGN(start_, read_csr(client, facts_.counter_csr));
    return ok_status();
  }

  Result<uint64_t> cycles(Client& client) override {
    TT_TRY_ASSIGN(const uint64_t now, read_csr(client, facts_.counter_csr));
    return uint64_t{static_cast<uint32_t>(now - start_)};
  }

  Result<std::string> trap(Client& client) override {
    TT_TRY_ASSIGN(const uint64_t cause, read_csr(client, kMcause));
    TT_TRY_ASSIGN(const uint64_t pc, read_csr(client, kMepc));
    const auto value = read_csr(client, kMtval);  // not every core has it
    char text[96];
    std::snprintf(text, sizeof text, "trap: mcause %u at pc 0x%08x, mtval 0x%08x",
                  static_cast<unsigned>(cause), static_cast<unsigned>(pc),
                  static_cast<unsigned>(value ? *value : 0));
    return std::string(text);
  }

  std::span<const std::string_view> saved_registers() const override { return kSaved; }

 private:
  static Status set(Client& client, const std::string& name, uint32_t value) {
    TT_TRY_ASSIGN(const Register found, need(client.registers(), name));
    return client.write_register(found, value);
  }
  static Result<uint64_t> read_csr(Client& client, uint32_t number) {
    return client.read_register(client.registers().csr(number).value_or(Register{}));
  }
  static Status write_csr(Client& client, uint32_t number, uint32_t value) {
    return client.write_register(client.registers().csr(number).value_or(Register{}), value);
  }

  uint64_t start_ = 0;
};

}  // namespace

std::unique_ptr<CoreDriver> make_riscv_driver(const Device& device, const BoardFacts& facts) {
  return std::make_unique<RiscvDriver>(device, facts);
}

}  // namespace tinytune::gdb
