// The last step of kernels that are written as LLVM assembly: a plan, and a writer of it.
#pragma once

#include <string>

#include "templates/kernel_template.h"

namespace tinytune {

/// A KernelTemplate's `lower`: what Writer(workload, plan).write(symbol) returns, for the plan that
/// follows from the workload and the schedule.
template <typename Plan, typename Writer>
Lowered lower_as_text(const Workload& workload, const Schedule& schedule, const Halide::Target&,
                      const std::string& symbol) {
  const Plan plan(workload, schedule);
  return {nullptr, Writer(workload, plan).write(symbol)};
}

}  // namespace tinytune
