#include "deploy/selection/kernel_losses.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

// Cycles per product that is computed twice or that fast kernels avoid; and products per lost cycle
// of a leaner schedule.
constexpr uint64_t kCyclesOfProduct = 1, kProductsOfLeanCycle = 4;

}  // namespace

KernelLosses::Kernel KernelLosses::usual_kernel(const Workload& workload) const {
  Kernel kernel{workload};
  const auto usual = default_schedule_of(workload, device_);
  if (!usual) return kernel;  // generating the network reports this error
  kernel.owner = *find_template(*usual);
  kernel.wanted_bytes = scratch_bytes_of(workload, *usual);
  kernel.times_computed = static_cast<double>(kernel.owner->describe(workload, *usual).outputs) /
                          static_cast<double>(workload.output_bytes());
  return kernel;
}

size_t KernelLosses::number_of(const Workload& workload) {
  const auto [known, is_new] = known_.try_emplace(to_text(workload), kernels_.size());
  if (is_new) kernels_.push_back(usual_kernel(workload));
  return known->second;
}

size_t KernelLosses::number_of(const KernelOp& layer) {
  const size_t number = number_of(layer.workload);
  if (constants_in_flash_ && !kernels_[number].data) kernels_[number].data = layer.data;
  return number;
}

// Returns the counted kernels, the fastest first; none if nothing can be counted.
const std::vector<KernelLosses::Rung>& KernelLosses::rungs_of(size_t number, size_t whole) {
  Kernel& kernel = kernels_[number];
  if (kernel.rungs) return *kernel.rungs;
  kernel.rungs.emplace();
  const Kernel& of = kernels_[whole];
  if (!constants_in_flash_ || !of.data) return *kernel.rungs;
  for (const EstimatedKernel& counted :
       estimated_kernels(of.workload, *of.data, device_, place_of_strips(*constants_in_flash_))) {
    const KernelTemplate& owner = **find_template(counted.schedule);
    if (!owner.supports(kernel.workload, device_)) continue;
    const auto outputs_of = [&](const Workload& workload) {
      return static_cast<double>(owner.describe(workload, counted.schedule).outputs);
    };
    const double share = outputs_of(kernel.workload) / outputs_of(of.workload);
    kernel.rungs->push_back(
        {scratch_bytes_of(kernel.workload, counted.schedule),
         static_cast<uint64_t>(static_cast<double>(counted.cycles) * share) +
             (number == whole ? 0 : reload_cycles(counted, device_, *constants_in_flash_))});
  }
  return *kernel.rungs;
}

uint64_t KernelLosses::lost_cycles(size_t number, size_t whole, uint64_t room, bool lean_is_slow) {
  if (const auto& all = rungs_of(whole, whole); !all.empty()) {
    const Workload& own = kernels_[number].workload;
    const double part = static_cast<double>(own.output_bytes()) /
                        static_cast<double>(kernels_[whole].workload.output_bytes());
    const auto best = static_cast<uint64_t>(static_cast<double>(all.front().cycles) * part);
    uint64_t fewest = std::numeric_limits<uint64_t>::max(), most = best;
    for (const Rung& rung : rungs_of(number, whole)) {
      most = std::max(most, rung.cycles);
      if (rung.scratch_bytes <= room) fewest = std::min(fewest, rung.cycles);
    }
    if (fewest > most) fewest = most + static_cast<uint64_t>(own.macs()) * kCyclesOfProduct;
    return fewest - std::min(fewest, best);
  }
  Kernel& kernel = kernels_[number];
  const bool is_usual = kernel.owner == kernels_[whole].owner;
  const double more = std::max(0.0, kernel.times_computed - kernels_[whole].times_computed);
  const auto macs = static_cast<uint64_t>(kernel.workload.macs());
  const auto twice = static_cast<uint64_t>(static_cast<double>(macs * kCyclesOfProduct) * more);
  if (is_usual && kernel.wanted_bytes <= room) return twice;
  if (!is_usual || lean_is_slow) return macs * kCyclesOfProduct;
  if (!kernel.least_bytes)
    kernel.least_bytes =
        least_scratch_in(kernel.owner->space(kernel.workload, device_), kernel.workload);
  return *kernel.least_bytes <= room ? twice + macs / kProductsOfLeanCycle
                                     : macs * kCyclesOfProduct;
}

}  // namespace tinytune
