#include "measure/test_cases.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/hash.h"
#include "models/integer_op.h"

namespace tinytune {
namespace {

size_t input_offset(const Workload& w, int n, int y, int x, int c) {
  const int64_t at = w.layout == Layout::kNhwc
                         ? ((int64_t{n} * w.in_h + y) * w.in_w + x) * w.in_c + c
                         : ((int64_t{n} * w.in_c + c) * w.in_h + y) * w.in_w + x;
  return static_cast<size_t>(at);
}

// Returns the weight of output channel `oc` for input channel `ic` at tap (ky, kx).
int8_t weight(const Workload& w, const LayerData& data, int oc, int ky, int kx, int ic) {
  int64_t at = 0;
  switch (w.op) {
    case OpKind::kConv2d: {
      const int per_group = w.in_c / w.groups;
      at = ((int64_t{oc} * w.kernel_h + ky) * w.kernel_w + kx) * per_group + ic % per_group;
      break;
    }
    case OpKind::kDepthwiseConv2d:
      at = (int64_t{ky} * w.kernel_w + kx) * w.out_c + oc;
      break;
    case OpKind::kDense:
      at = int64_t{oc} * w.in_c + ic;
      break;
  }
  return data.weights.at(static_cast<size_t>(at));
}

// Returns the output channel that window number `window` targets, among those that read `ic`.
int aimed_channel(const Workload& w, int window, int ic) {
  if (w.op == OpKind::kDepthwiseConv2d)
    return ic * w.depth_multiplier + window % w.depth_multiplier;
  const int per_group = w.out_c / w.groups;
  return ic / (w.in_c / w.groups) * per_group + window % per_group;
}

TestCase make_case(const KernelOp& op, std::string name, Contents input) {
  TestCase test{std::move(name), std::move(input),
                std::vector<uint8_t>(static_cast<size_t>(op.workload.output_bytes()))};
  const auto bytes = bytes_of(test.input, static_cast<size_t>(op.workload.input_bytes()));
  const std::array<std::span<const uint8_t>, 1> inputs = {bytes};
  run_reference(IntegerOp(op), inputs, test.expected);
  return test;
}

}  // namespace

std::vector<uint8_t> saturating_input(const Workload& w, const LayerData& data, bool high) {
  std::vector<uint8_t> input(static_cast<size_t>(w.input_bytes()));
  for (int n = 0; n < w.batch; ++n)
    for (int y = 0; y < w.in_h; ++y)
      for (int x = 0; x < w.in_w; ++x) {
        const int row = (y + w.pad_top) / w.dilation_h, column = (x + w.pad_left) / w.dilation_w;
        const int ky = row % w.kernel_h, kx = column % w.kernel_w;
        const int window = n + row / w.kernel_h * (w.in_w / w.kernel_w + 1) + column / w.kernel_w;
        for (int c = 0; c < w.in_c; ++c) {
          const bool positive = weight(w, data, aimed_channel(w, window, c), ky, kx, c) > 0;
          input[input_offset(w, n, y, x, c)] = positive == high ? 0x7F : 0x80;
        }
      }
  return input;
}

TaskData make_task_data(const Workload& workload, const LayerData& data, uint64_t seed) {
  TaskData task{workload, data, {}};
  const KernelOp op{workload, data};
  const auto constant = [](int value) {
    return Contents::filled_with(static_cast<uint8_t>(value));
  };
  const auto saturating = [&](bool high) {
    return Contents::of(saturating_input(workload, data, high));
  };
  const uint64_t random = seed ^ fnv1a("test case random");  // an independent random stream
  task.cases.push_back(make_case(op, "random", Contents::random_from(random)));
  task.cases.push_back(make_case(op, "all_min", constant(-128)));
  task.cases.push_back(make_case(op, "all_max", constant(127)));
  task.cases.push_back(make_case(op, "zero_point", constant(workload.input_zero_point)));
  task.cases.push_back(make_case(op, "saturating_high", saturating(true)));
  task.cases.push_back(make_case(op, "saturating_low", saturating(false)));
  return task;
}

}  // namespace tinytune
