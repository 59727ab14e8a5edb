// Why a network is deployed as it is: what was tried for all of it, and for one task what each
// kernel spends its cycles on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/deploy.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

/// One call of one kernel in the simulator, the call itself included.
struct KernelCost {
  std::string role;                                ///< "winner", "default", "best direct_nhwc"
  std::string schedule;                            ///< as in the log
  uint64_t instructions = 0, cycles = 0;           ///< of one call
  uint64_t multiplies = 0, loads = 0, stores = 0;  ///< instructions
  uint64_t branches_taken = 0;                     ///< conditional ones
  /// The same kernel with code and weights in flash: what it waits for, and how much of it there
  /// is. All 0 on devices whose memories are equally fast.
  struct InFlash {
    uint64_t cycles = 0;                                ///< of one call
    uint64_t fetch_wait_cycles = 0, code_bytes = 0;     ///< waits for code, of its bytes
    uint64_t read_wait_cycles = 0, constant_bytes = 0;  ///< waits for constants, of their bytes
  } in_flash;                                           ///< the same with code and weights there
  /// Instructions of no class above: addresses, packing, requantisation.
  uint64_t others() const { return instructions - multiplies - loads - stores - branches_taken; }
  uint64_t stalls() const {
    return cycles > instructions ? cycles - instructions : 0;
  }  ///< cycles beyond one an instruction
};

/// What the winner's choice of one knob is worth, as far as the log can tell.
struct KnobEffect {
  std::string knob, value;  ///< the winner's
  std::string other;        ///< the best record with another value has this one
  double slowdown = 0;      ///< of that record: 0.12 is 12 % more cycles
};

/// The winner of a task beside what it beat.
struct TaskExplanation {
  TaskInfo task;                    ///< that is explained
  uint64_t trials = 0, valid = 0;   ///< in the log; those that were exact
  std::vector<KernelCost> kernels;  ///< the winner first
  std::vector<KnobEffect> knobs;    ///< the dearest first; those that were never varied are absent
  /// Multiplications that the winner's way of computing cannot do without: no kernel of its kind
  /// executes fewer instructions.
  uint64_t least_multiplies = 0;
};

/// Builds and runs the winner of `task` (an index of `tune inspect`) in the log, the default
/// schedule and the best of every other template. kNotFound: no such device or log. kInvalidInput:
/// no such task, or a malformed log. kFailed: the log has no valid record of the task.
Result<TaskExplanation> explain_task(const Model& model, const std::string& device,
                                     const std::string& records, int task,
                                     const MessageSink& sink = {});

/// One way to make a network faster, or to make it fit, and what became of it.
struct MoveOutcome {
  std::string name;  ///< "kernels of fewest cycles", "strips", "two cores"
  int depth = 0;     ///< of the move that it is a part of, plus 1
  int times = 0;     ///< that it was tried: within several limits, for several groups of strips
  int networks = 0;  ///< built and run for it, moves inside it included
  int kept = 0;      ///< how often its network took the place of the one before
  std::optional<uint64_t> cycles;  ///< of the fastest that it proposed, if one ran
  std::string why;                 ///< it proposed nothing, or nothing better, the last time
};

/// A network and what led to it.
struct NetworkExplanation {
  std::vector<MoveOutcome> moves;  ///< in the order in which they were tried
  RunReport deployed;              ///< of what is deployed
};

/// Makes the network that run_model() runs with these options, and says what it tried. `verify`,
/// dumps, boards and fronts are left out. Errors as run_model().
Result<NetworkExplanation> explain_network(const Model& model, const std::string& device,
                                           const RunOptions& options);

}  // namespace tinytune
