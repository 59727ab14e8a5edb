// Estimates the cycles that kernels of strips, or in small arenas, lose against kernels of whole
// layers with all their scratch.
//
// For a network that will be generated, kernels of whole layers are counted, with all the scratch
// that they want and with less (estimated_kernels.h). A strip's kernel is taken to need its share
// of the fastest kernel that fits the room, plus the reloads of constants that stay in flash.
// Without counts (when `tune` plans strips, or on a device without a simulator) the losses are
// computed from three effects:
//
// Rows that do not fill a tile are computed twice, by the default schedule's own loops. A strip may
// have too few rows for the template of the whole layer. Fast kernels transform or gather their
// input first: if tensors leave no room for that, a leaner schedule of the template reads the
// weights more often; if there is none, another template computes every product. Waits for weights
// depend on which of them fast memory will hold, so they are not estimated but measured by running
// a network (orders.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "deploy/selection/estimated_kernels.h"
#include "devices/device.h"
#include "models/integer_op.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace tinytune {

class KernelLosses {
 public:
  /// `constants_in_flash`: if set, kernels of whole layers are counted, with their constants in
  /// flash or not. If not set, losses are computed without counting.
  explicit KernelLosses(const Device& device, std::optional<bool> constants_in_flash = {})
      : device_(device), constants_in_flash_(constants_in_flash) {}

  /// Returns the number of a workload; equal workloads have the same number.
  size_t number_of(const Workload& workload);
  /// Returns the number of a whole layer's workload. Keeps its constants, needed for counting.
  size_t number_of(const KernelOp& layer);

  /// Returns the cycles that a call of workload `number` takes with `room` bytes of scratch, minus
  /// its share of the cycles of `whole`, of which it computes some or all rows. `lean_is_slow`:
  /// assumes that a leaner schedule loses as much by waits for weights as it saves.
  uint64_t lost_cycles(size_t number, size_t whole, uint64_t room, bool lean_is_slow);

 private:
  /// A counted kernel: its scratch and its share of the whole layer's cycles, for this workload.
  struct Rung {
    uint64_t scratch_bytes = 0, cycles = 0;
  };
  struct Kernel {
    Workload workload;
    const KernelTemplate* owner = nullptr;  // of its default schedule
    uint64_t wanted_bytes = 0;
    double times_computed = 1;  // computed outputs (with overlapping tiles) per output
    std::optional<uint64_t> least_bytes = {};     // least scratch of the template; lazy
    std::optional<LayerData> data = {};           // of a whole layer
    std::optional<std::vector<Rung>> rungs = {};  // lazy
  };

  Kernel usual_kernel(const Workload& workload) const;
  const std::vector<Rung>& rungs_of(size_t number, size_t whole);

  const Device& device_;
  const std::optional<bool> constants_in_flash_;
  std::vector<Kernel> kernels_;
  std::map<std::string, size_t> known_;
};

}  // namespace tinytune
