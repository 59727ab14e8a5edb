// Operators that move bytes, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <cstring>

namespace tinytune::reference {
namespace {

void copy_box(const MoveOp::Box& box, size_t element, const uint8_t* from, uint8_t* to) {
  std::array<int, 5> at;
  const auto offset = [&](int64_t start, const std::array<int64_t, 5>& steps) {
    for (size_t axis = 0; axis < at.size(); ++axis) start += at[axis] * steps[axis];
    return start * static_cast<int64_t>(element);
  };
  for (at[0] = 0; at[0] < box.extents[0]; ++at[0])
    for (at[1] = 0; at[1] < box.extents[1]; ++at[1])
      for (at[2] = 0; at[2] < box.extents[2]; ++at[2])
        for (at[3] = 0; at[3] < box.extents[3]; ++at[3])
          for (at[4] = 0; at[4] < box.extents[4]; ++at[4])
            std::memcpy(to + offset(box.output_offset, box.output_steps),
                        from + offset(box.input_offset, box.input_steps), element);
}

}  // namespace

void run(const MoveOp& op, const Buffers& buffers) {
  if (op.filled)
    for (std::span<uint8_t> output : buffers.outputs)
      for (size_t at = 0; at < output.size(); at += static_cast<size_t>(op.element_bytes))
        std::memcpy(output.data() + at, &op.fill, static_cast<size_t>(op.element_bytes));
  for (const MoveOp::Box& box : op.boxes) {
    const uint8_t* from = box.constant >= 0 ? op.constants[static_cast<size_t>(box.constant)].data()
                                            : buffers.inputs[static_cast<size_t>(box.input)].data();
    copy_box(box, static_cast<size_t>(op.element_bytes), from,
             buffers.outputs[static_cast<size_t>(box.output)].data());
  }
}

}  // namespace tinytune::reference
