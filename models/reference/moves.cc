#include <algorithm>
#include <cstring>
#include <vector>

#include "models/reference/reference.h"

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

void run(const GatherOp& op, const Buffers& buffers) {
  const size_t data_input = op.places_first && op.constant_at.empty() ? 1 : 0;
  const size_t places_input = op.places_first || !op.data.empty() ? 0 : 1;
  const uint8_t* data = op.data.empty() ? buffers.inputs[data_input].data() : op.data.data();
  const uint8_t* places = op.constant_at.empty() ? buffers.inputs[places_input].data() : nullptr;
  uint8_t* output = buffers.outputs[0].data();
  const auto place = [&](int64_t index) {
    int32_t value;
    if (places == nullptr) return op.constant_at[static_cast<size_t>(index)];
    std::memcpy(&value, places + index * static_cast<int64_t>(sizeof value), sizeof value);
    return value;
  };
  const auto depth = static_cast<int64_t>(op.coordinates.size());
  for (int64_t batch = 0; batch < op.batches; ++batch)
    for (int64_t block = 0; block < op.blocks; ++block, data += op.block_bytes)
      for (int64_t p = 0; p < op.places; ++p) {
        int64_t offset = 0;
        for (int64_t c = 0; c < depth; ++c) {
          const GatherOp::Coordinate& along = op.coordinates[static_cast<size_t>(c)];
          const int32_t at = place((batch * op.places + p) * depth + c);
          offset += std::clamp(at, 0, along.extent - 1) * along.step_bytes;
        }
        std::memcpy(output, data + offset, static_cast<size_t>(op.slice_bytes));
        output += op.slice_bytes;
      }
}

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
