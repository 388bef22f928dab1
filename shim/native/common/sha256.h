#ifndef CLAWRDEN_SHA256_H
#define CLAWRDEN_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_BYTES = 32, SHA256_HEX = 64 };

/* Mixes `count` blocks into `state`. */
typedef void sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count);

sha256_blocks sha256_portable;
extern const uint32_t sha256_constants[64];

/* The variant for this processor's own instructions; NULL if it has none. */
sha256_blocks *sha256_hardware(void);

/* The state of one SHA-256 (FIPS 180-4). */
struct sha256 {
    sha256_blocks *take_blocks;
    uint32_t state[8];
    uint64_t length;
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t length);

/* Finishes. */
void sha256_end_bytes(struct sha256 *hash, uint8_t digest[SHA256_BYTES]);

/* Finishes: 64 lower-case hex digits, without a NUL. */
void sha256_end(struct sha256 *hash, char hex[SHA256_HEX]);

#endif
