#include "tuner/run_identity.h"

#include "base/digest.h"
#include "cost_model/features.h"
#include "search/budget.h"
#include "search/strategy.h"

namespace tinytune {
namespace {

void add_space(Digester& digest, const ConfigSpace& space) {
  digest.add(uint64_t{space.family_count()});
  for (size_t f = 0; f < space.family_count(); ++f) {
    const ConfigSpace::Family& family = space.family(f);
    digest.add(family.template_name).add(static_cast<uint64_t>(family.version));
    digest.add(uint64_t{family.knobs.size()});
    for (const Knob& knob : family.knobs) {
      digest.add(knob.name).add(uint64_t{knob.values.size()});
      for (const std::string& value : knob.values) digest.add(value);
    }
  }
  std::vector<uint16_t> points;  // added at once, as there are thousands
  for (size_t p = 0; p < space.size(); ++p) {
    points.push_back(static_cast<uint16_t>(space.family_of(p)));
    const ConfigSpace::Coordinates& at = space.coordinates(p);
    points.insert(points.end(), at.begin(), at.end());
  }
  digest.add_all(points);
}

}  // namespace

std::string run_identity(const std::vector<TuningTask>& tasks, const Device& device,
                         const RunSettings& settings) {
  Digester digest;
  digest.add(device.hash).add(uint64_t{tasks.size()});
  for (const TuningTask& task : tasks) {
    digest.add(task.workload).add_all(task.task->layers);
    add_space(digest, task.space);
    digest.add(uint64_t{task.default_point});
    for (const size_t start : starts_in(task.space, task.task->workload, device))
      digest.add(uint64_t{start});
  }
  digest.add(settings.tuner).add(static_cast<uint64_t>(strategy_version(settings.tuner)));
  digest.add(static_cast<uint64_t>(kFeatureVersion)).add(static_cast<uint64_t>(kBudgetVersion));
  digest.add(settings.seed).add(uint64_t{settings.window}).add(name_of(settings.fidelity));
  if (settings.promising > 0) digest.add(uint64_t{settings.promising});
  return to_text(digest.value());
}

}  // namespace tinytune
