#include "templates/nest_builder.h"

#include <algorithm>

#include "templates/switches.h"

namespace tinytune {

NestBuilder::NestBuilder(int input_bytes, int weight_bytes, int params_bytes) {
  nest_.accesses = {{"input", input_bytes, false, {}},
                    {"weights", weight_bytes, false, {}},
                    {"output", 1, true, {}},
                    {"params", params_bytes, false, {}}};
}

void NestBuilder::loop(const Step& step) {
  nest_.loops.push_back({step.name, step.extent, step.kind, step.reduces});
  const int64_t strides[] = {step.strides.input, step.strides.weights, step.strides.output,
                             step.strides.params};
  for (size_t a = 0; a < 4; ++a) nest_.accesses[a].strides.push_back(strides[a]);
}

LoopNest NestBuilder::finish(const Schedule& schedule) {
  describe_switches(schedule, nest_);
  return std::move(nest_);
}

std::vector<int> up_to(int most) {
  std::vector<int> all;
  for (int v = 1; v <= most; ++v) all.push_back(v);
  return all;
}

std::vector<int> divisors(int n, int most) {
  std::vector<int> all;
  for (int d = 1; d <= std::min(n, most); ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

}  // namespace tinytune
