// The dense layer of dense_kernel.S (10 inputs, 7 outputs), and variants of it that misbehave.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "codegen/kernels/kernel.h"
#include "measure/built_kernel.h"
#include "measure/test_cases.h"

namespace tinytune {

inline Workload dense_10_to_7() {
  Workload w;
  w.op = OpKind::kDense;
  w.in_c = 10;
  w.out_c = 7;
  w.input_zero_point = -3;
  w.output_zero_point = -5;
  return w;
}

// A scale of one: multiplier 2^30, shifted left by one. Sums take up to 17 bits.
inline LayerData dense_constants() {
  LayerData data;
  for (int i = 0; i < 70; ++i)
    data.weights.push_back(static_cast<int8_t>((i * 37 + 11) % 256 - 128));
  data.weights[0] = 127;
  for (int o = 0; o < 7; ++o) data.bias.push_back(o * 40 - 120);
  data.multiplier.assign(7, 1 << 30);
  data.shift.assign(7, 1);
  return data;
}

inline TaskData dense_task() { return make_task_data(dense_10_to_7(), dense_constants(), 1); }

/// dense_kernel.S assembled with -DFAULT, linked for `device`.
inline BuiltKernel dense_kernel(const std::string& fault, const Device& device) {
  std::ifstream file(std::string(TEST_KERNEL_DIRECTORY) + "/" + fault + ".o", std::ios::binary);
  EXPECT_TRUE(file) << fault;
  const std::vector<std::vector<uint8_t>> objects = {
      {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
  auto image = link_image(objects, device, kKernelSymbol);
  EXPECT_TRUE(image) << image.error().message();
  const LayerData data = dense_constants();
  BuiltKernel kernel;
  kernel.elf = std::move(image).value().elf;
  const auto* weights = reinterpret_cast<const uint8_t*>(data.weights.data());
  const auto* bias = reinterpret_cast<const uint8_t*>(data.bias.data());
  kernel.constants = {{"weights", 1, {weights, weights + 70}}, {"bias", 4, {bias, bias + 28}}};
  return kernel;
}

}  // namespace tinytune
