#include "codegen/kernels/build_cache.h"

#include <utility>

#include "base/sha256.h"
#include "codegen/kernels/compiled_text.h"
#include "codegen/kernels/kernel_key.h"

namespace tinytune {
namespace {

constexpr uint64_t kMostBytes = 256 << 20;

std::string digest(const std::string& text) {
  return sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

template <class Value>
std::shared_ptr<const Value> found(const std::map<std::string, std::shared_ptr<const Value>>& kept,
                                   const std::string& key) {
  const auto at = kept.find(key);
  return at == kept.end() ? nullptr : at->second;
}

}  // namespace

void BuildCache::make_room(uint64_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= kMostBytes) return;
  kernels_.clear();
  objects_.clear();
  bytes_ = bytes;
}

Result<CompiledKernel> BuildCache::kernel(const Workload& workload, const Schedule& schedule,
                                          const Device& device, const std::string& symbol,
                                          Emit emit) {
  const std::string key = compile_key(device) + to_text(workload) + "\n" + to_text(schedule) +
                          "\n" + symbol + "\n" + std::to_string(static_cast<int>(emit));
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = found(kernels_, key)) return *known;
  }
  TT_TRY_ASSIGN(CompiledKernel made, compile_kernel(workload, schedule, device, symbol, emit));
  const std::lock_guard lock(mutex_);
  make_room(made.object.size() + made.assembly.size() + made.llvm_ir.size() +
            made.portable_c.size());
  kernels_[key] = std::make_shared<const CompiledKernel>(made);
  return made;
}

Result<uint64_t> BuildCache::code_bytes(const Workload& workload, const Schedule& schedule,
                                        const Device& device) {
  constexpr const char* kSymbol = "kernel";
  TT_TRY_ASSIGN(const CompiledKernel made,
                kernel(workload, schedule, device, kSymbol, Emit::kObject));
  TT_TRY_ASSIGN(const Image image, link_image({&made.object, 1}, device, kSymbol));
  return uint64_t{image.code_bytes};
}

Result<std::vector<uint8_t>> BuildCache::object(
    const std::string& name, const std::string& texts, const Device& device,
    const std::function<Result<std::vector<uint8_t>>()>& compile) {
  const std::string key = compile_key(device) + name + "\n" + digest(compiled_text(texts));
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = found(objects_, key)) return *known;
  }
  TT_TRY_ASSIGN(std::vector<uint8_t> made, compile());
  const std::lock_guard lock(mutex_);
  make_room(made.size());
  objects_[key] = std::make_shared<const std::vector<uint8_t>>(made);
  return made;
}

}  // namespace tinytune
