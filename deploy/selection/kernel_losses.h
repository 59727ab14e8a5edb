// What kernels of strips and in narrow arenas lose against those of whole layers with all their
// scratch.
//
// A network that is to be generated has kernels of its whole layers counted, with all the scratch
// that they want and with less (estimated_kernels.h): a strip's kernel takes its share of the
// fastest that the room allows, and where constants stay in flash what they take to be read again.
// Without counts, as where `tune` plans strips or a device has no simulator, it is arithmetic:
//
// Rows that fill no tile are computed with others for a second time, as the default schedule's own
// loops say. A strip may be too low for the template that the whole layer gets. And fast kernels
// transform or gather their input first: where tensors leave no room for that, a leaner point of
// the template reads the weights more often, and where there is none, a template comes that
// computes every product. How long weights make a kernel wait depends on which of them fast memory
// will hold, so that is not guessed: a run of a network tells (orders.h).
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
  /// `constants_in_flash`: kernels of whole layers are counted, with constants there or not, and
  /// lost cycles follow from that. Nothing: from arithmetic alone.
  explicit KernelLosses(const Device& device, std::optional<bool> constants_in_flash = {})
      : device_(device), constants_in_flash_(constants_in_flash) {}

  /// Equal workloads have one number.
  size_t number_of(const Workload& workload);
  /// The number of a whole layer's workload. Keeps its constants, which counting needs.
  size_t number_of(const KernelOp& layer);

  /// Cycles that a call of workload `number`'s kernel takes with `room` bytes of scratch beyond its
  /// share of what `whole` takes, of whose rows it computes some or all. `lean_is_slow`: with less
  /// scratch than it wants it would wait for its weights as long as it saves.
  uint64_t lost_cycles(size_t number, size_t whole, uint64_t room, bool lean_is_slow);

 private:
  /// A counted kernel: its scratch for this workload, and the share of the whole layer's cycles
  /// that this workload's outputs are.
  struct Rung {
    uint64_t scratch_bytes = 0, cycles = 0;
  };
  struct Kernel {
    Workload workload;
    const KernelTemplate* owner = nullptr;  // of its default schedule
    uint64_t wanted_bytes = 0;
    double times_computed = 1;  // outputs, tiles that overlap counted as often as they do
    std::optional<uint64_t> least_bytes = {};     // of the template; found when it is asked for
    std::optional<LayerData> data = {};           // of a whole layer
    std::optional<std::vector<Rung>> rungs = {};  // found when they are asked for
  };

  Kernel usual_kernel(const Workload& workload) const;
  const std::vector<Rung>& rungs_of(size_t number, size_t whole);

  const Device& device_;
  const std::optional<bool> constants_in_flash_;
  std::vector<Kernel> kernels_;
  std::map<std::string, size_t> known_;
};

}  // namespace tinytune
