#include "templates/requantise_stage.h"

#include <Halide.h>

#include <algorithm>

#include "schedules/requantise.h"
#include "templates/packing.h"

namespace tinytune {
namespace {

using Halide::cast;
using Halide::Expr;

// Fields per channel, after the bias.
int fields(Requantise kind) {
  switch (kind) {
    case Requantise::kLong:
      return 4;  // bias, multiplier, left shift, right shift
    case Requantise::kShort:
      return 3;  // bias, 2 * multiplier, right shift
    case Requantise::kFused:
      return 3;  // bias, multiplier, offset
  }
  return 0;
}

Expr unsigned_bits(const Expr& e) { return cast<uint32_t>(e); }
Expr signed_bits(const Expr& e) { return cast<int32_t>(e); }

// The high word of a signed product; one instruction where the core has one.
Expr multiply_high(const Expr& a, const Expr& b) {
  return cast<int32_t>((cast<int64_t>(a) * cast<int64_t>(b)) >> 32);
}

}  // namespace

int32_t folded_bias(const Workload& w, const LayerData& data, int channel) {
  uint32_t sum = 0;
  for (int8_t weight : channel_weights(w, data, channel)) sum += static_cast<uint32_t>(weight);
  const auto bias = static_cast<uint32_t>(data.bias[static_cast<size_t>(channel)]);
  return static_cast<int32_t>(bias - static_cast<uint32_t>(w.input_zero_point) * sum);
}

Result<PackedConstant> pack_requantise(const Workload& w, const LayerData& data) {
  std::vector<int32_t> words;
  const Requantise kind = w.facts.requantise;
  std::optional<FusedRequantise> fused;
  if (kind == Requantise::kFused && !(fused = fuse_requantise(w, data)))
    return Error(ErrorCode::kUnsupported, "no fused requantisation is exact for these weights");
  if (kind == Requantise::kShort && !short_requantise_proved(w, data))
    return Error(ErrorCode::kUnsupported,
                 "the short requantisation is not exact for these weights");
  for (int channel = 0; channel < w.out_c; ++channel) {
    const auto c = static_cast<size_t>(channel);
    words.push_back(folded_bias(w, data, channel));
    switch (kind) {
      case Requantise::kLong:
        words.insert(words.end(),
                     {data.multiplier[c], std::max(data.shift[c], 0), std::max(-data.shift[c], 0)});
        break;
      case Requantise::kShort:
        words.insert(
            words.end(),
            {static_cast<int32_t>(2 * static_cast<uint32_t>(data.multiplier[c])), -data.shift[c]});
        break;
      case Requantise::kFused:
        words.insert(words.end(), {fused->multiplier[c], fused->offset[c]});
        break;
    }
  }
  if (fused) words.insert(words.end(), {fused->left, fused->right});
  return words_constant("params", words);
}

void bound_params(const Workload& w, Halide::ImageParam& params) {
  const Requantise kind = w.facts.requantise;
  params.dim(0).set_bounds(0, w.out_c * fields(kind) + (kind == Requantise::kFused ? 2 : 0));
}

Expr bias_of(const Workload& w, const Halide::ImageParam& params, const Expr& channel) {
  return unsigned_bits(params(channel * fields(w.facts.requantise)));
}

Expr requantise(const Workload& w, const Halide::ImageParam& params, const Expr& accumulator,
                const Expr& channel) {
  const Requantise kind = w.facts.requantise;
  const auto field = [&](int i) { return params(channel * fields(kind) + i); };
  Expr scaled;
  if (kind == Requantise::kFused) {
    const int shifts = w.out_c * fields(kind);
    const Expr left = unsigned_bits(params(shifts)), right = unsigned_bits(params(shifts + 1));
    scaled = (multiply_high(signed_bits(accumulator << left), field(1)) + field(2)) >> right;
  } else if (kind == Requantise::kShort) {
    // floor(acc * m / 2^31 + 1/2) = high word of acc * 2m, plus the bit below it.
    const Expr product =
        cast<int64_t>(signed_bits(accumulator)) * cast<int64_t>(unsigned_bits(field(1)));
    const Expr high = signed_bits(product >> 32) + signed_bits(unsigned_bits(product) >> 31);
    const Expr shift = unsigned_bits(field(2));
    scaled =
        ((high + (high >> 31) + signed_bits(Expr(uint32_t{1}) << (shift - Expr(uint32_t{1})))) >>
         shift) +
        w.output_zero_point;
  } else {
    const Expr left = unsigned_bits(field(2)), right = unsigned_bits(field(3));
    const Expr shifted = signed_bits(accumulator << left);
    const Expr high = cast<int32_t>(
        (cast<int64_t>(shifted) * cast<int64_t>(field(1)) + Expr(int64_t{1} << 30)) >> 31);
    const Expr mask = signed_bits((Expr(uint32_t{1}) << right) - Expr(uint32_t{1}));
    const Expr above = (high & mask) > ((mask >> 1) + signed_bits(unsigned_bits(high) >> 31));
    scaled = signed_bits(unsigned_bits((high >> right) + Halide::select(above, 1, 0)) +
                         Expr(static_cast<uint32_t>(w.output_zero_point)));
  }
  return cast<int8_t>(Halide::clamp(scaled, w.activation_min, w.activation_max));
}

}  // namespace tinytune
