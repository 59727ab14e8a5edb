// Explains a deployment: which changes to the network were tried, and, for one task, where each
// kernel spends its cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/deploy.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Cost of one call of one kernel in the simulator, call overhead included.
struct KernelCost {
  std::string role;                                ///< "winner", "default", "best direct_nhwc"
  std::string schedule;                            ///< as in the log
  uint64_t instructions = 0, cycles = 0;           ///< of one call
  uint64_t multiplies = 0, loads = 0, stores = 0;  ///< instructions of each class
  uint64_t branches_taken = 0;                     ///< taken conditional branches
  /// Cost of the same kernel with code and weights in flash. All 0 on devices whose memories are
  /// equally fast.
  struct InFlash {
    uint64_t cycles = 0;                                ///< of one call
    uint64_t fetch_wait_cycles = 0, code_bytes = 0;     ///< waits for code; size of the code
    uint64_t read_wait_cycles = 0, constant_bytes = 0;  ///< waits for constants; their size
  } in_flash;                                           ///< with code and weights in flash
  /// Instructions of no class above: addresses, packing, requantisation.
  uint64_t others() const { return instructions - multiplies - loads - stores - branches_taken; }
  uint64_t stalls() const {
    return cycles > instructions ? cycles - instructions : 0;
  }  ///< cycles beyond one per instruction
};

/// Estimate, from the log, of the gain from the winner's value of one knob.
struct KnobEffect {
  std::string knob, value;  ///< name; the winner's value
  std::string other;        ///< value of the best record that has another one
  double slowdown = 0;      ///< of that record: 0.12 is 12 % more cycles
};

/// The winner of a task and the kernels that it beat.
struct TaskExplanation {
  TaskInfo task;                    ///< the task explained
  uint64_t trials = 0, valid = 0;   ///< records in the log; exact ones
  std::vector<KernelCost> kernels;  ///< the winner first
  std::vector<KnobEffect> knobs;    ///< largest slowdown first; without knobs that never varied
  /// Lower bound on the multiplications of the winner's way of computing: no kernel of its kind
  /// executes fewer instructions.
  uint64_t least_multiplies = 0;
};

/// Builds and runs the winner of `task` (an index of `tune inspect`) in the log, the default
/// schedule and the best schedule of every other template. kNotFound: no such device or log.
/// kInvalidInput: no such task, or a malformed log. kFailed: no valid record of the task in it.
Result<TaskExplanation> explain_task(const Model& model, const std::string& device,
                                     const std::string& records, int task,
                                     const MessageSink& sink = {});

/// One change ("move") that makes a network faster or smaller, and its outcome.
struct MoveOutcome {
  std::string name;  ///< "kernels of fewest cycles", "strips", "two cores"
  int depth = 0;     ///< nesting: 1 more than that of the enclosing move
  int times = 0;     ///< attempts: within several limits, for several groups of strips
  int networks = 0;  ///< networks built and run for it, nested moves included
  int kept = 0;      ///< attempts whose network replaced the previous one
  std::optional<uint64_t> cycles;  ///< of the fastest network that it proposed, if one ran
  std::string why;                 ///< why the last attempt proposed nothing, or nothing better
};

/// A network and the moves that led to it.
struct NetworkExplanation {
  std::vector<MoveOutcome> moves;  ///< in the order in which they were tried
  RunReport deployed;              ///< report of the deployed network
};

/// Generates the network that run_model() would run with these options and reports the moves tried.
/// `verify`, dumps, boards and fronts are ignored. Errors as run_model().
Result<NetworkExplanation> explain_network(const Model& model, const std::string& device,
                                           const RunOptions& options);

}  // namespace tinytune
