#include "deploy/advice.h"

#include <algorithm>
#include <utility>

#include "deploy/deployment/deployment.h"
#include "deploy/deployment/least_memory.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/layouts.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

/// More flash than any network takes.
constexpr uint64_t kMuchFlash = 64u << 20;

uint64_t beyond(uint64_t bytes, uint64_t allowed) { return bytes - std::min(bytes, allowed); }

/// Returns the device with its flash for constants enlarged, up to the next memory.
Device with_much_flash(Device device) {
  const uint64_t from = device.memory(device.rodata_memory).address;
  uint64_t end = from + kMuchFlash;
  for (const MemoryRegion& memory : device.memories)
    if (memory.address > from) end = std::min<uint64_t>(end, memory.address);
  for (MemoryRegion& memory : device.memories)
    if (memory.name == device.rodata_memory)
      memory.size_bytes = std::max(memory.size_bytes, static_cast<uint32_t>(end - from));
  return device;
}

/// Returns the need of the network of the least flash if RAM is enough for it, else of the network
/// of the least RAM, which may run in strips, needs more code and takes longer to find.
Result<LeastNeed> least_need(const Model& model, const Device& device, const Records& records,
                             MemoryLimits limits) {
  limits.flash_bytes.reset();
  const MessageSink silent;
  const Device roomy = with_much_flash(device);
  LayoutChoice layouts(LayoutPolicy::kNhwc, roomy, records);
  const Deployment deployment{model, roomy, records, limits, silent};
  const NetworkOptions options = deployment.options(layouts);
  if (const auto least = least_flash(deployment, options)) return LeastNeed{*least, 0};
  return least_need(deployment, options);
}

}  // namespace

Result<Advice> advise(const Model& model, const std::string& device, const MemoryLimits& limits) {
  TT_TRY_ASSIGN(const Device whole, load_device(device));  // with fast memory, whatever the limits
  TT_TRY_ASSIGN(const Ground ground, load_ground(device, limits, {}, {}));
  const uint64_t ram = ram_of(whole), flash = flash_of(whole);
  Advice advice;
  advice.ram_limit = std::min(ram, limits.ram_bytes.value_or(ram));
  advice.flash_limit = std::min(flash, limits.flash_bytes.value_or(flash));
  RunOptions options;
  options.limits = limits;
  Result<RunReport> report = run_model(model, device, options);
  if (report) {
    advice.fits = true;
    advice.takes = report->footprint;
    return advice;
  }
  advice.refusal = report.error().message();
  if (report.error().code() != ErrorCode::kFailed) return advice;
  const auto need = least_need(model, ground.device, ground.records, limits);
  if (!need) return advice;
  advice.takes = need->takes;
  advice.missing_ram = need->missing_ram;
  advice.missing_flash = beyond(need->takes.flash_bytes, advice.flash_limit);
  return advice;
}

}  // namespace tinytune
