#include "deploy/selection/kernel_count.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "codegen/kernels/build_cache.h"
#include "codegen/kernels/kernel.h"
#include "codegen/kernels/kernel_key.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "measure/runner.h"
#include "rpc_device/boards/simulator_board.h"

namespace tinytune {
namespace {

struct Count {
  std::optional<uint64_t> cycles;  ///< nothing: it cannot be counted
  uint64_t limit = 0;              ///< limit at which the call was stopped; 0: it returned
};

/// Returns the device with just the data memory that the kernel needs, plus some for code and the
/// stack. Callers vary the memory size, and a cached count must not depend on the first caller's.
Device with_room_for(const Workload& workload, const Schedule& schedule,
                     std::span<const PackedConstant> constants, const Device& device) {
  constexpr uint64_t kBeside = 96 * 1024, kPage = 4096;
  const uint64_t bytes = static_cast<uint64_t>(workload.input_bytes() + workload.output_bytes()) +
                         scratch_bytes_of(workload, schedule) + packed_bytes(constants) + kBeside;
  return with_data_memory(device, (bytes + kPage - 1) / kPage * kPage);
}

/// Counts with tensors and constants in the memories where firmware has them.
Count count(const Workload& workload, const Schedule& schedule,
            std::span<const PackedConstant> constants, const Device& device,
            bool constants_in_flash, uint64_t at_most, BuildCache& builds) {
  Device place = with_room_for(workload, schedule, constants, device);
  if (constants_in_flash) place.fast_rodata_memories.clear();
  const auto board = SimulatorBoard::create(place);
  if (!board) return {};
  const auto compiled = builds.kernel(workload, schedule, device, kKernelSymbol, Emit::kObject);
  if (!compiled) return {};
  auto image = link_image({&compiled->object, 1}, place, kKernelSymbol);
  if (!image) return {};
  BuiltKernel kernel;
  kernel.elf = std::move(image->elf);
  kernel.constants.assign(constants.begin(), constants.end());
  kernel.scratch_bytes = scratch_bytes_of(workload, schedule);
  const auto loaded = load_kernel(**board, kernel, workload);
  if (!loaded || loaded->end != LoadEnd::kLoaded) return {};
  RunRequest once;
  // The board doubles the limit, for dual-issue cores; at_most * 2 must not overflow.
  if (at_most < std::numeric_limits<uint64_t>::max() / 2) once.limits.cycles = at_most;
  const auto report = (*board)->run(once);
  if (!report) return {};
  if (report->end == RunEnd::kCycleLimit) return {at_most, at_most};
  if (report->end != RunEnd::kReturned) return {};
  return {report->samples.front().cycles, 0};
}

}  // namespace

std::optional<uint64_t> counted_cycles(const Workload& workload, const Schedule& schedule,
                                       std::span<const PackedConstant> constants,
                                       const Device& device, bool constants_in_flash,
                                       uint64_t at_most) {
  static std::mutex mutex;
  static std::map<std::string, Count> known;
  static BuildCache builds;  // a kernel is counted with constants in flash and in fast memory
  std::string key = kernel_key(device) + (constants_in_flash ? "flash " : "fast ");
  for (const std::string& memory : device.fast_rodata_memories) key += memory + " ";
  key += to_text(workload) + " " + to_text(schedule);
  const std::lock_guard lock(mutex);
  auto at = known.find(key);
  // A call that was stopped at a lower limit than `at_most` is counted again.
  if (at == known.end() || (at->second.limit > 0 && at->second.limit < at_most))
    at = known
             .insert_or_assign(key, count(workload, schedule, constants, device, constants_in_flash,
                                          at_most, builds))
             .first;
  const auto& cycles = at->second.cycles;
  return cycles ? std::optional(std::min(*cycles, at_most)) : std::nullopt;
}

}  // namespace tinytune
