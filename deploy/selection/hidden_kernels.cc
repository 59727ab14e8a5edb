#include "deploy/selection/hidden_kernels.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "codegen/networks/arriving_layers.h"
#include "deploy/selection/kernel_count.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

/// Returns whether the constants of every block permit the schedule.
bool packs(const KernelTemplate& t, const Schedule& schedule, std::span<const KernelOp* const> ops,
           int blocks) {
  return std::all_of(ops.begin(), ops.end(), [&](const KernelOp* op) {
    for (int at = 0; at < blocks; ++at) {
      const KernelOp block = block_of(*op, blocks, at);
      if (!t.pack(block.workload, block.data, schedule)) return false;
    }
    return true;
  });
}

/// Returns the first of the template's defaults that the constants of every block permit.
std::optional<Schedule> permitted_of(const KernelTemplate& t, std::span<const KernelOp* const> ops,
                                     int blocks, const Device& device) {
  const Workload workload = block_of(*ops[0], blocks, 0).workload;
  const std::vector<Schedule> all = default_schedules_of(t, workload, device);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Schedule& schedule) {
    return packs(t, schedule, ops, blocks);
  });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

/// Returns the packed bytes of all blocks, from those of the first.
uint64_t bytes_of(const KernelTemplate& t, const KernelOp& op, int blocks,
                  const Schedule& schedule) {
  const KernelOp block = block_of(op, blocks, 0);
  const auto constants = t.pack(block.workload, block.data, schedule);
  return packed_bytes(*constants) * static_cast<uint64_t>(blocks);
}

}  // namespace

// Counts the kernel of the whole layer, which fetches its code once, like consecutive blocks.
std::optional<Schedule> hidden_kernel(std::span<const KernelOp* const> ops, int blocks,
                                      const ArrivalWay& way, const Device& device,
                                      uint64_t most_scratch) {
  const KernelOp& op = *ops[0];
  Device in_ram = device;
  in_ram.fast_rodata_memories = {device.data_memory};
  std::optional<Schedule> best;
  auto least = static_cast<double>(kUnlimited);
  for (const KernelTemplate& t : kernel_templates()) {
    const auto of_block = permitted_of(t, ops, blocks, device);
    const auto whole = blocks == 1 ? of_block : permitted_of(t, ops.first(1), 1, device);
    if (!of_block || !whole) continue;
    if (scratch_bytes_of(op.workload, *of_block) > most_scratch) continue;
    const double arriving = static_cast<double>(bytes_of(t, op, blocks, *of_block)) *
                            way.piece_cycles / way.piece_bytes;
    if (arriving >= least) continue;
    const uint64_t at_most = best ? static_cast<uint64_t>(least) : kUnlimited;
    const auto constants = t.pack(op.workload, op.data, *whole);
    const auto cycles = counted_cycles(op.workload, *whole, *constants, in_ram, false, at_most);
    if (!cycles) continue;
    const double takes = std::max(static_cast<double>(*cycles), arriving);
    if (takes >= least) continue;
    least = takes;
    best = of_block;
  }
  return best;
}

}  // namespace tinytune
