// tune_workload(): tunes a layer as a network of one operator.
#include <utility>

#include "schedules/workload.h"
#include "tinytune/layer.h"

namespace tinytune {

Result<TuneReport> tune_workload(const Layer& layer, const std::string& device,
                                 TuneOptions options) {
  TT_TRY_ASSIGN(const Workload workload, parse_workload(layer.workload()));
  options.tasks.clear();
  options.layout = workload.layout == Layout::kNchw ? LayoutPolicy::kNchw : LayoutPolicy::kNhwc;
  return tune_model(layer.model(), device, options);
}

}  // namespace tinytune
