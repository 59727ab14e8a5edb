// DYNAMIC_UPDATE_SLICE, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tinytune::reference {
namespace {

void copy_part(const UpdateSliceOp& op, const std::array<int64_t, 5>& corner, const uint8_t* part,
               uint8_t* output) {
  const std::array<int, 5>& e = op.extents;
  const auto run = static_cast<size_t>(op.box[4] * op.element_bytes);
  for (int64_t a = 0; a < op.box[0]; ++a)
    for (int64_t b = 0; b < op.box[1]; ++b)
      for (int64_t c = 0; c < op.box[2]; ++c)
        for (int64_t d = 0; d < op.box[3]; ++d) {
          int64_t to = corner[0] + a;
          to = to * e[1] + corner[1] + b;
          to = to * e[2] + corner[2] + c;
          to = (to * e[3] + corner[3] + d) * e[4] + corner[4];
          std::memcpy(output + to * op.element_bytes, part, run);
          part += run;
        }
}

}  // namespace

void run(const UpdateSliceOp& op, const Buffers& buffers) {
  size_t next = 0;
  const auto operand = [&](size_t i) {
    return op.constants[i].empty() ? buffers.inputs[next++].data() : op.constants[i].data();
  };
  const uint8_t *whole = operand(0), *part = operand(1);
  std::vector<int32_t> given = op.constant_at;
  if (given.empty()) {
    given.resize(static_cast<size_t>(op.rank));
    std::memcpy(given.data(), buffers.inputs[next].data(), given.size() * sizeof(int32_t));
  }
  std::array<int64_t, 5> corner{};
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t axis = 5 - given.size() + i;
    corner[axis] = std::clamp(given[i], 0, op.extents[axis] - op.box[axis]);
  }
  std::memcpy(buffers.outputs[0].data(), whole, buffers.outputs[0].size());
  copy_part(op, corner, part, buffers.outputs[0].data());
}

}  // namespace tinytune::reference
