#include "deploy/selection/kernel_losses.h"

#include <algorithm>
#include <utility>

#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

// Where products are computed again, or that fast kernels avoid; and where one has few tiles.
constexpr uint64_t kCyclesOfProduct = 1, kProductsOfLeanCycle = 4;

}  // namespace

KernelLosses::Kernel KernelLosses::usual_kernel(const Workload& workload) const {
  Kernel kernel{workload};
  const auto usual = default_schedule_of(workload, device_);
  if (!usual) return kernel;  // whoever generates the network says so
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

uint64_t KernelLosses::lost_cycles(size_t number, size_t whole, uint64_t room, bool lean_is_slow) {
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
