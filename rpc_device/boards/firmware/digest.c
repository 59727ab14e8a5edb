#include "digest.h"

#define PRIME32_1 0x9E3779B1u
#define PRIME64_1 0x9E3779B185EBCA87u
#define PRIME64_2 0xC2B2AE3D27D4EB4Fu
#define STRIPE 64u
#define STRIPES_OF_A_BLOCK 16u
#define PREFIX 8u /* the length comes first */

static const uint8_t secret[192] __attribute__((aligned(4))) = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static const uint64_t beginning[8] = {
    0xC2B2AE3Du,         0x9E3779B185EBCA87u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u,
    0x85EBCA77C2B2AE63u, 0x85EBCA77u,         0x27D4EB2F165667C5u, PRIME32_1};

static uint64_t get64(const uint8_t *at) {
  uint64_t value = 0;
  for (uint32_t i = 8; i-- > 0;) value = value << 8 | at[i];
  return value;
}

typedef uint32_t __attribute__((may_alias)) word;

/* Reads eight bytes, nearly always aligned; word loads give most of the speed. */
static void accumulate(uint64_t acc[8], const uint8_t *bytes, const uint8_t *key_bytes) {
  const int aligned = (((uintptr_t)bytes | (uintptr_t)key_bytes) & 3) == 0;
  for (uint32_t i = 0; i < 8; ++i) {
    uint64_t data, key;
    if (aligned) {
      const word *const d = (const word *)bytes + 2 * i, *const k = (const word *)key_bytes + 2 * i;
      data = d[0] | (uint64_t)d[1] << 32;
      key = data ^ (k[0] | (uint64_t)k[1] << 32);
    } else {
      data = get64(bytes + 8 * i);
      key = data ^ get64(key_bytes + 8 * i);
    }
    acc[i ^ 1] += data;
    acc[i] += (uint64_t)(uint32_t)key * (uint32_t)(key >> 32);
  }
}

static void scramble(uint64_t acc[8]) {
  for (uint32_t i = 0; i < 8; ++i) {
    acc[i] ^= acc[i] >> 47;
    acc[i] ^= get64(secret + sizeof secret - STRIPE + 8 * i);
    acc[i] *= PRIME32_1;
  }
}

/* The two halves of the 128-bit product, xored. */
static uint64_t folded_product(uint64_t a, uint64_t b) {
  const uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b;
  const uint64_t cross = (a >> 32) * (uint32_t)b + (low >> 32);
  const uint64_t other = (uint64_t)(uint32_t)a * (b >> 32) + (uint32_t)cross;
  const uint64_t high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
  return high ^ (other << 32 | (uint32_t)low);
}

static uint64_t merged(const uint64_t acc[8], const uint8_t *key, uint64_t start) {
  uint64_t sum = start;
  for (uint32_t i = 0; i < 4; ++i)
    sum +=
        folded_product(acc[2 * i] ^ get64(key + 16 * i), acc[2 * i + 1] ^ get64(key + 16 * i + 8));
  sum ^= sum >> 37;
  sum *= 0x165667919E3779F9u;
  return sum ^ sum >> 32;
}

void digest_of_buffer(const uint8_t *bytes, uint32_t size, uint64_t digest[2]) {
  uint64_t acc[8];
  for (uint32_t i = 0; i < 8; ++i) acc[i] = beginning[i];
  /* The length, in eight bytes, then the buffer's bytes. */
  uint8_t first[STRIPE] __attribute__((aligned(4)));
  for (uint32_t i = 0; i < STRIPE; ++i)
    first[i] = i >= PREFIX ? bytes[i - PREFIX] : i < 4 ? (uint8_t)(size >> (8 * i)) : 0;
  const uint32_t total = size + PREFIX, stripes = (total - 1) / STRIPE;
  for (uint32_t i = 0; i < stripes; ++i) {
    accumulate(acc, i == 0 ? first : bytes + i * STRIPE - PREFIX,
               secret + 8 * (i % STRIPES_OF_A_BLOCK));
    /* A complete block; total - 1 is counted, so at least one byte follows it. */
    if (i % STRIPES_OF_A_BLOCK == STRIPES_OF_A_BLOCK - 1) scramble(acc);
  }
  accumulate(acc, bytes + size - STRIPE, secret + sizeof secret - STRIPE - 7);
  digest[1] = merged(acc, secret + 11, (uint64_t)total * PRIME64_1);
  digest[0] = merged(acc, secret + sizeof secret - STRIPE - 11, ~((uint64_t)total * PRIME64_2));
}
