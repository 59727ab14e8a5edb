#include "templates/halide/requantise_stage.h"

#include <Halide.h>

#include "templates/channel_params.h"

namespace tinytune {
namespace {

using Halide::cast;
using Halide::Expr;

// Words of a channel: the bias, then those of requantisation.
int words(Requantise kind) { return kBiasWords + scaling_words(kind); }

Expr unsigned_bits(const Expr& e) { return cast<uint32_t>(e); }
Expr signed_bits(const Expr& e) { return cast<int32_t>(e); }

// The high word of a signed product; one instruction where the core has one.
Expr multiply_high(const Expr& a, const Expr& b) {
  return cast<int32_t>((cast<int64_t>(a) * cast<int64_t>(b)) >> 32);
}

}  // namespace

void bound_params(const Workload& w, Halide::ImageParam& params) {
  const Requantise kind = w.facts.requantise;
  params.dim(0).set_bounds(0, w.out_c * words(kind) + shared_words(kind));
}

Expr bias_of(const Workload& w, const Halide::ImageParam& params, const Expr& channel) {
  return unsigned_bits(params(channel * words(w.facts.requantise)));
}

Expr requantise(const Workload& w, const Halide::ImageParam& params, const Expr& accumulator,
                const Expr& channel) {
  const Requantise kind = w.facts.requantise;
  const auto word = [&](int i) { return params(channel * words(kind) + i); };
  const auto clamped = [&](const Expr& scaled, int zero_point) {
    return cast<int8_t>(
        Halide::clamp(scaled, w.activation_min - zero_point, w.activation_max - zero_point) +
        zero_point);
  };
  if (kind == Requantise::kFused) {
    const int shared = w.out_c * words(kind);
    const Expr left = unsigned_bits(params(shared)), right = unsigned_bits(params(shared + 1));
    const Expr scaled =
        (multiply_high(signed_bits(accumulator << left), word(1)) + word(2)) >> right;
    return clamped(scaled, 0);  // the zero point is in the offset
  }
  if (kind == Requantise::kStepped) {
    const Expr product = cast<int64_t>(signed_bits(accumulator)) * cast<int64_t>(word(1));
    const Expr right = unsigned_bits(word(2));
    const Expr high = signed_bits(product >> 32);
    const Expr k = high >> right;
    const Expr fraction =
        (unsigned_bits(high) << (Expr(uint32_t{32}) - right)) | (unsigned_bits(product) >> right);
    const Expr above = signed_bits(fraction + Expr(0x80000000u)) >> 1;
    const Expr pair = params(w.out_c * words(kind) + ((k >> 1) & 127));
    // The even one is the lower half.
    const Expr level = signed_bits(unsigned_bits(pair) << (unsigned_bits(~k & 1) << 4)) >> 16;
    return clamped(k - ((level - above) >> 31) + w.output_zero_point, 0);
  }
  if (kind == Requantise::kShort || kind == Requantise::kShifted) {
    const bool shifted = kind == Requantise::kShifted;
    const Expr acc = shifted ? accumulator << unsigned_bits(word(3)) : accumulator;
    // floor(acc * m / 2^31 + 1/2) = high word of acc * 2m, plus the bit below it.
    const Expr product = cast<int64_t>(signed_bits(acc)) * cast<int64_t>(unsigned_bits(word(1)));
    const Expr high = signed_bits(product >> 32) + signed_bits(unsigned_bits(product) >> 31);
    const Expr shift = unsigned_bits(word(2));
    const Expr one = Expr(uint32_t{1});
    Expr sign = high >> 31, half = one << (shift - one);
    if (shifted) {  // a right shift of 0 rounds nothing
      sign = sign & (-word(2) >> 31);
      half = (one << shift) >> 1;
    }
    const Expr scaled = (high + sign + signed_bits(half)) >> shift;
    return clamped(scaled + w.output_zero_point, 0);  // proved not to overflow
  }
  const Expr left = unsigned_bits(word(2)), right = unsigned_bits(word(3));
  const Expr shifted = signed_bits(accumulator << left);
  const Expr high = cast<int32_t>(
      (cast<int64_t>(shifted) * cast<int64_t>(word(1)) + Expr(int64_t{1} << 30)) >> 31);
  const Expr mask = signed_bits((Expr(uint32_t{1}) << right) - Expr(uint32_t{1}));
  const Expr above = (high & mask) > ((mask >> 1) + signed_bits(unsigned_bits(high) >> 31));
  // Anything up to the ends of int32 may come out; there the zero point is added last.
  return clamped((high >> right) + Halide::select(above, 1, 0), w.output_zero_point);
}

}  // namespace tinytune
