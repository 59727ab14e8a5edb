#include "simulator/unicorn_core.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

namespace tinytune {
namespace {

constexpr uint32_t kPageBytes = 4096;

int unicorn_register(CoreFamily family, unsigned reg) {
  if (family == CoreFamily::kRiscv32)
    return reg == UnicornCore::kRiscvPc ? int{UC_RISCV_REG_PC}
                                        : UC_RISCV_REG_X0 + static_cast<int>(reg);
  constexpr int kArm[] = {
      UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3, UC_ARM_REG_R4,  UC_ARM_REG_R5,
      UC_ARM_REG_R6,  UC_ARM_REG_R7, UC_ARM_REG_R8, UC_ARM_REG_R9, UC_ARM_REG_R10, UC_ARM_REG_R11,
      UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR, UC_ARM_REG_PC, UC_ARM_REG_APSR};
  return kArm[reg];
}

Error failed(const char* what, uc_err error) {
  return Error(ErrorCode::kFailed, fmt::format("unicorn: {}: {}", what, uc_strerror(error)));
}

}  // namespace

void UnicornCore::Free::operator()(uc_context* context) const { uc_context_free(context); }

void UnicornCore::Close::operator()(uc_struct* unicorn) const { uc_close(unicorn); }

Result<UnicornCore> UnicornCore::open(const Target& target, const Memory& memory) {
  UnicornCore core(target.family);
  uc_engine* unicorn = nullptr;
  uc_err error =
      core.is_arm()
          ? uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &unicorn)
          : uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &unicorn);
  if (error != UC_ERR_OK) return failed("uc_open", error);
  core.handle_.reset(unicorn);
  if (core.is_arm()) {
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
  error = uc_mem_map(unicorn, kReturnAddress, kPageBytes, UC_PROT_READ | UC_PROT_EXEC);
  if (error != UC_ERR_OK) return failed("uc_mem_map", error);
  uc_context* context = nullptr;
  error = uc_context_alloc(unicorn, &context);
  if (error != UC_ERR_OK) return failed("uc_context_alloc", error);
  core.context_.reset(context);
  return core;
}

uint32_t UnicornCore::get(unsigned reg) const {
  uint32_t value = 0;
  uc_reg_read(handle(), unicorn_register(family_, reg), &value);
  return value;
}

void UnicornCore::set(unsigned reg, uint32_t value) {
  uc_reg_write(handle(), unicorn_register(family_, reg), &value);
}

void UnicornCore::read_vectors(std::span<uint8_t> bytes) const {
  for (size_t i = 0; i < bytes.size() / 8; ++i)
    uc_reg_read(handle(), UC_ARM_REG_D0 + static_cast<int>(i), &bytes[8 * i]);
}

void UnicornCore::write_vectors(std::span<const uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size() / 8; ++i)
    uc_reg_write(handle(), UC_ARM_REG_D0 + static_cast<int>(i), &bytes[8 * i]);
}

void UnicornCore::resume_at(uint32_t address) {
  uc_context_save(handle(), context_.get());
  uc_context_reg_write(context_.get(), is_arm() ? int{UC_ARM_REG_PC} : int{UC_RISCV_REG_PC},
                       &address);
  uc_context_restore(handle(), context_.get());
}

Status UnicornCore::add_untyped_hook(int type, void* callback, void* user, uint64_t begin,
                                     uint64_t end) {
  uc_hook unused;
  const uc_err error = uc_hook_add(handle(), &unused, type, callback, user, begin, end);
  return error == UC_ERR_OK ? ok_status() : failed("uc_hook_add", error);
}

}  // namespace tinytune

// After every store Unicorn 2.0 looks for code translated from the store's page. For that it
// collects the locks of pages in a tree that it allocates, which takes longer than the rest of the
// store. The locks serve threads that translate at once, and a Unicorn instance has one. These
// functions replace the library's of the same names in programs linked with it; translations are
// still invalidated.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
void* page_collection_lock_riscv32(uc_struct*, uint64_t, uint64_t) { return nullptr; }
void* page_collection_lock_arm(uc_struct*, uint64_t, uint64_t) { return nullptr; }
void page_collection_unlock_riscv32(void*) {}
void page_collection_unlock_arm(void*) {}
// NOLINTEND(readability-identifier-naming)
}
