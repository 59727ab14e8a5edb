// Applies the user's layout policy: selects the tasks to tune and the layouts of a network.
//
// Cycles of kernels come from the log. Those of transforms are measured by running the generated
// code in the simulator; that takes a fraction of a second per shape, so they are not logged.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/tasks.h"
#include "records/records.h"
#include "tinytune/deploy.h"
#include "tinytune/layout.h"
#include "tinytune/result.h"

namespace tinytune {

/// Parses "nhwc", "nchw" or "auto". kInvalidInput: another word.
Result<LayoutPolicy> parse_layout_policy(std::string_view text);
std::string_view name_of(LayoutPolicy policy);

/// Returns the model's tasks under a policy. kNchw: the same list, with NCHW layouts where a task
/// has a layout. kAuto: the list followed by the NCHW variants, so that an index means the same
/// task.
std::vector<Task> tasks_in(const std::vector<Task>& tasks, LayoutPolicy policy);

/// Chooses the layouts of one network and keeps the comparison for reports.
class LayoutChoice {
 public:
  /// `device` and `records` must outlive the choice.
  LayoutChoice(LayoutPolicy policy, const Device& device, const Records& records);
  ~LayoutChoice();
  LayoutChoice(const LayoutChoice&) = delete;
  LayoutChoice& operator=(const LayoutChoice&) = delete;

  /// Returns the source for NetworkOptions, which refers to this choice.
  LayoutSource source();

  /// Returns the first error of the source's use. kNotFound: no compiler to build transforms with.
  /// kUnsupported: the device has no simulator.
  Status status() const;
  const LayoutComparison& comparison() const;

 private:
  class Measured;
  LayoutPolicy policy_;
  std::unique_ptr<Measured> measured_;
  LayoutComparison comparison_;
};

}  // namespace tinytune
