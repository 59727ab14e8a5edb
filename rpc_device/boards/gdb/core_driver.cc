#include "rpc_device/boards/gdb/core_driver.h"

namespace tinytune::gdb {

std::unique_ptr<CoreDriver> make_core_driver(const Device& device, const BoardFacts& facts) {
  return device.target.family == CoreFamily::kRiscv32 ? make_riscv_driver(device, facts)
                                                      : make_arm_m_driver(device, facts);
}

std::vector<uint8_t> bytes_of_words(std::span<const uint32_t> words) {
  std::vector<uint8_t> bytes;
  for (const uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<uint8_t>(word >> shift));
  return bytes;
}

Result<uint32_t> push_arguments(Client& client, const Device& device,
                                std::span<const uint32_t> in_memory) {
  const MemoryRegion& stack = device.memory(device.stack_memory);
  const uint32_t size = static_cast<uint32_t>((in_memory.size() * 4 + 15) / 16 * 16);
  const uint32_t top = stack.address + stack.size_bytes - size;
  if (!in_memory.empty()) TT_TRY(client.write_memory(top, bytes_of_words(in_memory)));
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
