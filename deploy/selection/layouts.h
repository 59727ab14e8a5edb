// Layouts as a user chooses them: what there is to tune, and what a network is built with.
//
// Kernels' cycles come from the log. A transform's are measured in the simulator, as the generated
// code it will be; that takes a fraction of a second a shape, so the log does not hold them.
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

/// "nhwc", "nchw", "auto". kInvalidInput: another word.
Result<LayoutPolicy> parse_layout_policy(std::string_view text);
std::string_view name_of(LayoutPolicy policy);

/// The model's tasks under a policy. kNchw: the same list, what has a layout in NCHW; kAuto: the
/// same list, followed by the NCHW variants, so that an index means the same task in both.
std::vector<Task> tasks_in(const std::vector<Task>& tasks, LayoutPolicy policy);

/// Chooses the layouts of one network and keeps what is worth telling about the choice.
class LayoutChoice {
 public:
  /// Both outlive the choice.
  LayoutChoice(LayoutPolicy policy, const Device& device, const Records& records);
  ~LayoutChoice();
  LayoutChoice(const LayoutChoice&) = delete;
  LayoutChoice& operator=(const LayoutChoice&) = delete;

  /// For NetworkOptions; refers to this choice.
  LayoutSource source();

  /// After the source was used. kNotFound: no compiler to build transforms with. kUnsupported: the
  /// device has no simulator.
  Status status() const;
  const LayoutComparison& comparison() const;

 private:
  class Measured;
  LayoutPolicy policy_;
  std::unique_ptr<Measured> measured_;
  LayoutComparison comparison_;
};

}  // namespace tinytune
