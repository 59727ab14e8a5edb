// Cortex-M, through its memory-mapped system control space. Source: Arm DDI 0403 (Armv7-M) and DDI
// 0419 (Armv6-M), sections B3 and C1; the calling convention is AAPCS32.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/little_endian.h"
#include "devices/core_table.h"
#include "rpc_device/boards/gdb/core_driver.h"

namespace tinytune::gdb {
namespace {

constexpr uint32_t kVtor = 0xE000ED08, kCfsr = 0xE000ED28, kHfsr = 0xE000ED2C;
constexpr uint32_t kDemcr = 0xE000EDFC, kTraceEnable = 1u << 24;
constexpr uint32_t kDwtControl = 0xE0001000, kDwtCycles = 0xE0001004, kDwtLock = 0xE0001FB0,
                   kDwtKey = 0xC5ACCE55;
constexpr uint32_t kSysTickControl = 0xE000E010, kSysTickReload = 0xE000E014,
                   kSysTickValue = 0xE000E018;
constexpr uint32_t kSysTickOn = 5, kSysTickWrapped = 1u << 16, kSysTickMost = 0x00FFFFFF;
constexpr uint32_t kThumb = 1;
constexpr uint32_t kThumbState = 1u << 24;           // of xPSR
constexpr uint32_t kBreakpointAndLoop = 0xE7FEBE00;  // bkpt 0; b .
constexpr uint32_t kNopStore = 0x6001BF00;           // nop; str r1, [r0]
constexpr size_t kVectors = 128;
constexpr uint32_t kCpuid = 0xE000ED00;
constexpr uint32_t kCpacr = 0xE000ED88, kFloatAccess = 0xFu << 20;

// CPUID's part numbers, from the cores' Technical Reference Manuals; `cpu` is LLVM's name.
struct Part {
  uint32_t number;
  std::string_view cpu, name;
};
constexpr std::array kParts = {
    Part{0xC20, "cortex-m0", "Cortex-M0"},   Part{0xC60, "cortex-m0plus", "Cortex-M0+"},
    Part{0xC21, "cortex-m1", "Cortex-M1"},   Part{0xC23, "cortex-m3", "Cortex-M3"},
    Part{0xC24, "cortex-m4", "Cortex-M4"},   Part{0xC27, "cortex-m7", "Cortex-M7"},
    Part{0xD20, "cortex-m23", "Cortex-M23"}, Part{0xD21, "cortex-m33", "Cortex-M33"},
    Part{0xD22, "cortex-m55", "Cortex-M55"}, Part{0xD23, "cortex-m85", "Cortex-M85"}};
constexpr std::array<std::string_view, 9> kSaved = {"sp", "r4", "r5",  "r6", "r7",
                                                    "r8", "r9", "r10", "r11"};
constexpr size_t kArgumentRegisters = 4;

class ArmMDriver final : public CoreDriver {
 public:
  using CoreDriver::CoreDriver;

  Status check(const RegisterSet& registers) const override {
    TT_TRY(need_all(registers, {"pc", "sp", "lr", "r0", "r3"}));
    TT_TRY(status_register(registers));
    return ok_status();
  }

  Result<std::string> identify(Client& client) const override {
    const auto cpuid = peek(client, kCpuid);
    if (!cpuid && cpuid.error().code() == ErrorCode::kDeviceLost) return cpuid.error();
    for (const Part& part : kParts)
      if (cpuid && (*cpuid >> 4 & 0xFFF) == part.number) return std::string(part.name);
    return std::string();
  }

  std::string expected() const override {
    for (const Part& part : kParts)
      if (device_.target.cpu == part.cpu) return std::string(part.name);
    return "";
  }

  Status prepare(Client& client, const Foothold& foothold) override {
    std::vector<uint32_t> words(Foothold::kBytes / 4, kBreakpointAndLoop);
    for (size_t i = 0; i < kVectors; ++i) words[i] = foothold.traps_to() | kThumb;
    words[(foothold.returns_to() - foothold.address) / 4 - 1] = kNopStore;
    TT_TRY(client.write_memory(foothold.address, little_endian_bytes(words)));
    TT_TRY(client.set_breakpoint(foothold.traps_to()));
    TT_TRY(client.set_breakpoint(foothold.returns_to()));
    const Poke poke{client, foothold};
    TT_TRY(poke(kVtor, foothold.address));
    if (internal::has_fpu(device_.target)) TT_TRY(poke(kCpacr, kFloatAccess));  // networks use it
    if (const Register* mask = client.registers().find("primask"))
      TT_TRY(client.write_register(*mask, 1));
    if (facts_.counter == CycleCounter::kSysTick) {
      TT_TRY(poke(kSysTickReload, kSysTickMost));
      return poke(kSysTickControl, kSysTickOn);
    }
    TT_TRY_ASSIGN(const uint32_t demcr, peek(client, kDemcr));
    TT_TRY(poke(kDemcr, demcr | kTraceEnable));
    TT_TRY(poke(kDwtLock, kDwtKey));
    TT_TRY_ASSIGN(const uint32_t control, peek(client, kDwtControl));
    return poke(kDwtControl, control | 1);
  }

  Status begin(Client& client, const Foothold& foothold, const CoreCall& call) override {
    if (facts_.counter == CycleCounter::kSysTick) TT_TRY(Poke(client, foothold)(kSysTickValue, 0));
    const std::span<const uint32_t> arguments = call.arguments;
    const size_t in_registers = std::min(arguments.size(), kArgumentRegisters);
    TT_TRY_ASSIGN(const uint32_t sp,
                  push_arguments(client, device_, arguments.subspan(in_registers)));
    TT_TRY(set(client, "sp", sp));
    for (size_t i = 0; i < in_registers; ++i)
      TT_TRY(set(client, "r" + std::to_string(i), arguments[i]));
    TT_TRY(set(client, "lr", foothold.returns_to() | kThumb));
    TT_TRY(set(client, "pc", call.function & ~kThumb));
    TT_TRY_ASSIGN(const Register status, status_register(client.registers()));
    TT_TRY(client.write_register(status, kThumbState));
    if (facts_.counter == CycleCounter::kSysTick) return ok_status();
    TT_TRY_ASSIGN(start_, peek(client, kDwtCycles));
    return ok_status();
  }

  Result<uint64_t> cycles(Client& client) override {
    if (facts_.counter == CycleCounter::kDwt) {
      TT_TRY_ASSIGN(const uint32_t cycles, peek(client, kDwtCycles));
      return uint64_t{cycles - start_};
    }
    TT_TRY_ASSIGN(const uint32_t value, peek(client, kSysTickValue));
    TT_TRY_ASSIGN(const uint32_t control, peek(client, kSysTickControl));
    if ((control & kSysTickWrapped) != 0)
      return Error(ErrorCode::kFailed, "more than the 16,777,215 cycles that SysTick can count");
    return uint64_t{(kSysTickMost + 1 - value) & kSysTickMost};
  }

  Result<std::string> trap(Client& client) override {
    TT_TRY_ASSIGN(const uint32_t cfsr, peek(client, kCfsr));
    TT_TRY_ASSIGN(const uint32_t hfsr, peek(client, kHfsr));
    TT_TRY_ASSIGN(const Register sp_register, need(client.registers(), "sp"));
    TT_TRY_ASSIGN(const uint64_t sp, client.read_register(sp_register));
    const auto pc = peek(client, static_cast<uint32_t>(sp) + 24);  // the frame may be unreadable
    char text[96];
    std::snprintf(text, sizeof text, "fault: CFSR 0x%08x, HFSR 0x%08x, near pc 0x%08x", cfsr, hfsr,
                  pc ? *pc : 0);
    return std::string(text);
  }

  std::span<const std::string_view> saved_registers() const override { return kSaved; }

 private:
  static Result<Register> status_register(const RegisterSet& registers) {
    for (const char* name : {"xpsr", "cpsr"})
      if (const Register* found = registers.find(name)) return *found;
    return need(registers, "xpsr");
  }
  static Status set(Client& client, const std::string& name, uint32_t value) {
    TT_TRY_ASSIGN(const Register found, need(client.registers(), name));
    return client.write_register(found, value);
  }
  // Writes a word of the system control space with a store by the core, because not every server
  // can (QEMU silently drops such writes).
  class Poke {
   public:
    Poke(Client& client, const Foothold& foothold) : client_(client), foothold_(foothold) {}
    Status operator()(uint32_t address, uint32_t value) const {
      constexpr uint32_t kStoreBytes = 2;
      TT_TRY(set(client_, "r0", address));
      TT_TRY(set(client_, "r1", value));
      TT_TRY(set(client_, "pc", foothold_.returns_to() - kStoreBytes));
      TT_TRY_ASSIGN(const Register status, status_register(client_.registers()));
      TT_TRY(client_.write_register(status, kThumbState));
      TT_TRY(client_.resume());
      TT_TRY_ASSIGN(const auto stop, client_.wait_for_stop(std::chrono::seconds(2)));
      if (stop) return ok_status();
      return Error(ErrorCode::kDeviceLost, "the core does not run to a breakpoint");
    }

   private:
    Client& client_;
    const Foothold& foothold_;
  };
  static Result<uint32_t> peek(Client& client, uint32_t address) {
    TT_TRY_ASSIGN(const auto bytes, client.read_memory(address, 4));
    return little_endian_at<uint32_t>(bytes, 0);
  }

  uint32_t start_ = 0;  ///< DWT's counter at the start
};

}  // namespace

std::unique_ptr<CoreDriver> make_arm_m_driver(const Device& device, const BoardFacts& facts) {
  return std::make_unique<ArmMDriver>(device, facts);
}

}  // namespace tinytune::gdb
