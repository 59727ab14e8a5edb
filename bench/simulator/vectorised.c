// Loops that clang vectorises, for vector_oracle.py: compilers emit code that random streams do not
// contain.
#include <stdint.h>

enum { kCount = 999 };  // not a multiple of any vector length
static int8_t a[kCount], b[kCount], c[kCount];
static int16_t h[kCount];
static int32_t w[kCount];
static uint32_t seed = 12345;

static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u; }

static int32_t dot(const int8_t *x, const int8_t *y, int n) {
  int32_t sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

static void scale(int16_t *to, const int8_t *x, int factor, int n) {
  for (int i = 0; i < n; ++i) to[i] = (int16_t)(x[i] * factor >> 3);
}

static void clamp(int8_t *to, const int16_t *x, int n) {
  for (int i = 0; i < n; ++i) {
    const int v = x[i] + 7;
    to[i] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
  }
}

static void blend(int32_t *to, const int8_t *x, const int8_t *y, int n) {
  for (int i = 0; i < n; ++i) to[i] += x[i] > y[i] ? x[i] * 3 : to[i] >> 1;
}

static int32_t largest(const int32_t *x, int n) {
  int32_t most = x[0];
  for (int i = 1; i < n; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

static int32_t every_third(const int8_t *x, int n) {
  int32_t sum = 0;
  for (int i = 0; i < n / 3; ++i) sum += x[3 * i] ^ x[3 * i + 2];
  return sum;
}

uint32_t vectorised(void) {
  uint32_t hash = 0;
  for (int turn = 0; turn < 8; ++turn) {
    for (int i = 0; i < kCount; ++i) a[i] = (int8_t)(next() >> 24), b[i] = (int8_t)(next() >> 24);
    const int n = kCount - 37 * turn;
    scale(h, a, 5 + turn, n);
    clamp(c, h, n);
    blend(w, a, c, n);
    hash = hash * 31 + (uint32_t)dot(a, b, n);
    hash = hash * 31 + (uint32_t)largest(w, n);
    hash = hash * 31 + (uint32_t)every_third(b, n);
    for (int i = 0; i < kCount; ++i) hash = hash * 31 + (uint32_t)(w[i] + c[i] + h[i]);
  }
  return hash;
}
