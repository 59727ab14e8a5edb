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

void NestBuilder::loop(const Step& step) {
  nest_.loops.push_back({step.name, step.extent, step.kind, step.reduces});
  const int64_t strides[] = {step.strides.input, step.strides.weights, step.strides.output,
                             step.strides.params};
  for (size_t a = 0; a < 4; ++a) nest_.accesses[a].strides.push_back(strides[a]);
}

void NestBuilder::channel_tiles(int64_t tiles, int channels, int64_t weight_bytes) {
  loop({.name = "oc_outer",
        .extent = tiles,
        .strides = {
            .weights = weight_bytes, .output = channels, .params = params_bytes_ * channels}});
}

void NestBuilder::products(const Products& p) {
  using Kind = Loop::Kind;
  loop({.name = "reduction",
        .extent = p.terms / p.step,
        .reduces = true,
        .strides = {.input = p.input_bytes * p.step, .weights = p.weight_bytes * p.step}});
  loop({.name = "ku",
        .extent = p.step,
        .kind = Kind::kUnrolled,
        .reduces = true,
        .strides = {.input = p.input_bytes, .weights = p.weight_bytes}});
  if (p.halves > 0)
    loop({.name = p.pair,
          .extent = p.halves,
          .kind = Kind::kUnrolled,
          .reduces = true,
          .strides = {.input = 2, .weights = 2}});
  loop({.name = "px",
        .extent = p.pixels,
        .kind = Kind::kUnrolled,
        .strides = {.input = p.pixel_bytes, .output = p.out_pixel_bytes}});
  loop({.name = "oc",
        .extent = p.channels,
        .kind = Kind::kUnrolled,
        .strides = {.weights = p.element_bytes, .output = 1, .params = params_bytes_}});
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
