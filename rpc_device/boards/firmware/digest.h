/* XXH3, 128 bit, as base/digest.h names a buffer: of its length as eight bytes, then of its bytes.
 * Only the form for more than 240 bytes in all. Method: Y. Collet, github.com/Cyan4973/xxHash,
 * doc/xxhash_spec.md. */
#ifndef TINYTUNE_DIGEST_H
#define TINYTUNE_DIGEST_H

#include <stdint.h>

/* digest[0] is the high word. `size` is at least WIRE_LEAST_DIGEST. */
void digest_of_buffer(const uint8_t *bytes, uint32_t size, uint64_t digest[2]);

#endif
