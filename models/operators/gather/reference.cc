// GATHER, GATHER_ND and EMBEDDING_LOOKUP, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <cstring>

namespace tinytune::reference {

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

}  // namespace tinytune::reference
