#include "templates/nest_builder.h"

#include <algorithm>

#include "templates/channel_params.h"
#include "templates/switches.h"

namespace tinytune {

NestBuilder::NestBuilder(int input_bytes, int weight_bytes, int params_bytes)
    : params_bytes_(params_bytes) {
  nest_.accesses = {{"input", input_bytes, false, {}},
                    {"weights", weight_bytes, false, {}},
                    {"output", 1, true, {}},
                    {"params", params_bytes, false, {}}};
}

NestBuilder::NestBuilder(const Workload& w, int input_bytes, int weight_bytes, int start_words)
    : NestBuilder(input_bytes, weight_bytes,
                  4 * (start_words + scaling_words(w.facts.requantise))) {
  nest_.macs = w.macs();
}

void NestBuilder::loop(const char* name, int64_t extent, const Strides& s, Kind kind) {
  const bool unrolled = kind == kUnrolled || kind == kReducesUnrolled;
  nest_.loops.push_back(
      {name, extent, unrolled ? Loop::Kind::kUnrolled : Loop::Kind::kSerial, kind >= kReduces});
  const int64_t strides[] = {s.input, s.weights, s.output, s.params};
  for (size_t a = 0; a < 4; ++a) nest_.accesses[a].strides.push_back(strides[a]);
}

void NestBuilder::channel_tiles(int64_t tiles, int channels, int64_t weight_bytes) {
  loop("oc_outer", tiles,
       {.weights = weight_bytes, .output = channels, .params = params_bytes_ * channels});
}

void NestBuilder::products(const Products& p) {
  loop("reduction", p.terms / p.step,
       {.input = p.input_bytes * p.step, .weights = p.weight_bytes * p.step}, kReduces);
  loop("ku", p.step, {.input = p.input_bytes, .weights = p.weight_bytes}, kReducesUnrolled);
  if (p.halves > 0) loop(p.pair, p.halves, {.input = 2, .weights = 2}, kReducesUnrolled);
  loop("px", p.pixels, {.input = p.pixel_bytes, .output = p.out_pixel_bytes}, kUnrolled);
  loop("oc", p.channels, {.weights = p.element_bytes, .output = 1, .params = params_bytes_},
       kUnrolled);
  nest_.accumulators = p.channels * p.pixels;
  nest_.unrolled_body = int64_t{p.channels} * p.pixels * p.step;
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
