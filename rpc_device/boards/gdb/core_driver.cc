#include "rpc_device/boards/gdb/core_driver.h"

#include "base/little_endian.h"
#include "base/printable.h"

namespace tinytune::gdb {

std::unique_ptr<CoreDriver> make_core_driver(const Device& device, const BoardFacts& facts) {
  return device.target.family == CoreFamily::kRiscv32 ? make_riscv_driver(device, facts)
                                                      : make_arm_m_driver(device, facts);
}

std::string kind_of(const RegisterSet& registers) {
  const auto has = [&](std::string_view name) { return registers.find(name) != nullptr; };
  if (has("xpsr")) return "a Cortex-M core";
  if (has("r0") && has("cpsr")) return "an Arm core that is no Cortex-M";
  if (has("ra") && has("a0")) {
    const Register* pc = registers.find("pc");
    return pc != nullptr && pc->bits == 64 ? "a 64-bit RISC-V core" : "a RISC-V core";
  }
  if (has("eax") || has("rax")) return "an x86 core";
  if (registers.all().empty()) return "a core that describes no registers";
  return "a core whose first register is '" + printable(registers.all().front().name, 20) + "'";
}

Result<uint32_t> push_arguments(Client& client, const Device& device,
                                std::span<const uint32_t> in_memory) {
  const MemoryRegion& stack = device.memory(device.stack_memory);
  const uint32_t size = static_cast<uint32_t>((in_memory.size() * 4 + 15) / 16 * 16);
  const uint32_t top = stack.address + stack.size_bytes - size;
  if (!in_memory.empty()) TT_TRY(client.write_memory(top, little_endian_bytes(in_memory)));
  return top;
}

Result<Register> need(const RegisterSet& registers, std::string_view name) {
  if (const Register* found = registers.find(name)) return *found;
  return Error(ErrorCode::kUnsupported,
               "the GDB server describes no register '" + std::string(name) + "'");
}

Status need_all(const RegisterSet& registers, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) TT_TRY(need(registers, name));
  return ok_status();
}

}  // namespace tinytune::gdb
