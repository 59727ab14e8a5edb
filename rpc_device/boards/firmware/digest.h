/* XXH3, 128 bit, of a buffer as in base/digest.h: of its length as eight bytes, then of its bytes.
 * Only the form for more than 240 bytes in all. Method: Y. Collet, github.com/Cyan4973/xxHash,
 * doc/xxhash_spec.md. */
#ifndef TINYTUNE_DIGEST_H
#define TINYTUNE_DIGEST_H

#include <stdint.h>

/* Sets digest[0] to the high word. `size` must be at least WIRE_LEAST_DIGEST. */
void digest_of_buffer(const uint8_t *bytes, uint32_t size, uint64_t digest[2]);

#endif
