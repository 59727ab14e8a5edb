// A pointwise convolution, 64 to 64 channels, as compilers emit it: typical work of a simulator.
// Two pixels by two channels at once, no requantisation. And a loop of the shortest blocks.
#include <stdint.h>

void pointwise(const int8_t* in, const int8_t* weights, int32_t* out, int pixels) {
  for (int p = 0; p < pixels; p += 2) {
    const int8_t* a = in + p * 64;
    for (int c = 0; c < 64; c += 2) {
      const int8_t* w = weights + c * 64;
      int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;
#pragma clang loop unroll_count(2)
      for (int k = 0; k < 64; ++k) {
        const int32_t a0 = a[k], a1 = a[k + 64], w0 = w[k], w1 = w[k + 64];
        s00 += a0 * w0;
        s01 += a0 * w1;
        s10 += a1 * w0;
        s11 += a1 * w1;
      }
      out[p * 64 + c] = s00;
      out[p * 64 + c + 1] = s01;
      out[(p + 1) * 64 + c] = s10;
      out[(p + 1) * 64 + c + 1] = s11;
    }
  }
}

int32_t spin(const int8_t* in, const int8_t* weights, int32_t* out, int rounds) {
  for (int i = rounds * 4096; i != 0; --i) __asm__ volatile("");
  return in == weights && out;
}
