// generate_inputs(): generates the input bytes of `seed:N`.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/little_endian.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;

/// The generator of the golden vectors: xorshift32, one step per byte.
class ByteGenerator {
 public:
  explicit ByteGenerator(uint32_t seed) : state_(seed), walks_(seed >= kFirstWalk) {}

  int8_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    const uint32_t top = state_ >> 24;
    if (!walks_) return static_cast<int8_t>(top);
    walk_ = std::clamp(walk_ + static_cast<int>(top % 17) - 8, -128, 127);
    return static_cast<int8_t>(walk_);
  }

 private:
  // Uniform bytes saturate most networks to one answer; a random walk resembles a signal more.
  static constexpr uint32_t kFirstWalk = 100;
  uint32_t state_;
  bool walks_;
  int walk_ = 0;
};

void append_element(std::vector<uint8_t>& bytes, const std::string& type, int8_t value) {
  if (type == "float32")
    return append_little_endian(bytes,
                                std::bit_cast<uint32_t>(static_cast<float>(value + 128) / 255.0f));
  // Both bytes are the generated one, so that values cover the whole range.
  if (type == "int16")
    return append_little_endian(bytes, static_cast<int16_t>(value * 256 + (value & 255)));
  // Indices and lengths, which are small numbers.
  if (type == "int32") return append_little_endian(bytes, int32_t{value});
  if (type == "int64") return append_little_endian(bytes, int64_t{value});
  append_little_endian(bytes, value);
}

}  // namespace

Result<std::vector<std::vector<uint8_t>>> generate_inputs(const Model& model, uint32_t seed,
                                                          int steps) {
  if (seed == 0) {
    return Error(ErrorCode::kInvalidInput,
                 "seed:0 is refused: the generator would only give zeros");
  }
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  int64_t bytes = 0;  // of one step
  for (const TensorInfo& tensor : tensors) bytes += tensor.bytes;
  if (steps > kMostBytes / std::max<int64_t>(bytes, 1)) {
    return Error(ErrorCode::kInvalidInput, std::to_string(steps) + " steps of " +
                                               std::to_string(bytes) +
                                               " bytes are more than 1 GiB of inputs; run fewer");
  }
  ByteGenerator generator(seed);
  std::vector<std::vector<uint8_t>> inputs(tensors.size());
  for (int step = 0; step < steps; ++step)
    for (size_t input = 0; input < tensors.size(); ++input) {
      int64_t elements = 1;
      for (int extent : tensors[input].shape) elements *= extent;
      for (int64_t i = 0; i < elements; ++i)
        append_element(inputs[input], tensors[input].type, generator.next());
    }
  return inputs;
}

}  // namespace tinytune
