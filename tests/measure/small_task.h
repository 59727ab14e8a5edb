// A convolution small enough to measure quickly and odd enough to need every tail loop.
#pragma once

#include "base/rng.h"
#include "measure/test_cases.h"
#include "schedules/weight_facts.h"
#include "templates/kernel_template.h"

namespace tinytune {

inline LayerData random_constants(const Workload& w, uint64_t seed) {
  Rng rng(seed);
  LayerData data;
  for (int64_t i = 0; i < w.weight_bytes(); ++i)
    data.weights.push_back(static_cast<int8_t>(static_cast<int>(rng.below(255)) - 127));
  for (int c = 0; c < w.out_c; ++c) {
    data.bias.push_back(static_cast<int32_t>(rng.below(4000)) - 2000);
    data.multiplier.push_back((1 << 30) + static_cast<int32_t>(rng.below(1 << 30)));
    data.shift.push_back(-8);
  }
  return data;
}

inline TaskData small_conv_task() {
  Workload w;
  w.in_h = 7;
  w.in_w = 5;
  w.in_c = 3;
  w.out_h = 7;
  w.out_w = 5;
  w.out_c = 6;
  w.kernel_h = w.kernel_w = 3;
  w.pad_top = w.pad_left = 1;
  w.input_zero_point = 4;
  w.output_zero_point = -128;
  const LayerData data = random_constants(w, 7);
  w.facts = prove_facts(w, data);
  return make_task_data(w, data, 1);
}

}  // namespace tinytune
