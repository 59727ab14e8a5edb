// The kernels of one network: schedules chosen, constants packed, equal kernels built once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/assembly.h"
#include "codegen/networks/indexed_weights.h"
#include "codegen/networks/network.h"
#include "codegen/operators/constant_pool.h"
#include "models/integer_op.h"
#include "templates/kernel_template.h"

namespace tinytune {

/// What a layer's function needs to call its kernel.
struct KernelCall {
  std::string symbol;
  std::vector<std::string> constants;  ///< symbols of the arrays, in the kernel's order
  /// By constant: set if the layer decodes it; its symbol in `constants` is then empty.
  std::vector<std::optional<IndexedArgument>> indexed;
  uint32_t scratch_bytes = 0;    ///< of the kernel, followed by decoded arrays
  bool takes_scratch = false;    ///< the kernel itself takes some
  uint32_t undecoded_bytes = 0;  ///< scratch for the largest array that found no room; 0: none
  Schedule schedule;
  bool tuned = false;
  std::optional<Schedule> forbidden = {};  ///< the given schedule that its weights do not permit
};

class KernelSet {
 public:
  struct Kernel {
    std::string symbol;
    std::string workload, schedule;       ///< text forms
    std::vector<std::string> parameters;  ///< C declarations: "const int8_t *input", …
    KernelAssembly assembly = {};         ///< cleaned, without directives for the whole file
    std::string portable_c = {};          ///< its function, instead of assembly
  };

  /// `builds`: cache of compiled kernels, or null.
  KernelSet(const Device& device, const ScheduleSource& schedules, std::string name,
            std::shared_ptr<BuildCache> builds);

  /// Chooses a schedule, packs the layer's constants and builds the kernel if no earlier layer did.
  /// If this layer's weights do not permit the source's schedule, takes the source's alternative
  /// or, with a warning, the default. Weights of few values become indices if scratch and decoded
  /// arrays take at most `decoding_bytes`; empty: none do. If `op` is a part of a layer, `whole` is
  /// that layer, whose schedule is taken if the source has none for `op`.
  /// kUnsupported: no template. kFailed: the kernel did not build.
  Result<KernelCall> add(const KernelOp& op, int layer, std::optional<uint64_t> decoding_bytes,
                         ConstantPool& constants, const Workload* whole = nullptr);

  /// Whether a kernel calls no other function. False for kernels in C, where it is unknown.
  bool runs_alone(const std::string& symbol) const;

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Choice {
    PackedSchedule kernel;
    bool tuned = false;
    std::optional<Schedule> forbidden = {};
  };
  Result<Choice> choose(const KernelOp& op, int layer, const Workload* whole);
  Result<std::string> build(const Workload& workload, const PackedSchedule& chosen, bool scratch);

  const Device& device_;
  const ScheduleSource& schedules_;
  std::string name_;
  std::shared_ptr<BuildCache> builds_;
  std::vector<Kernel> kernels_;
  std::map<std::pair<std::string, std::string>, std::string> symbols_;  // workload, schedule
  std::vector<std::string> warnings_;
};

}  // namespace tinytune
