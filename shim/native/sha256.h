#ifndef CLAWRDEN_SHA256_H
#define CLAWRDEN_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_HEX = 64 };

/* One SHA-256 (FIPS 180-4) in the making. */
struct sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t length);

/* Ends it: 64 lower-case hex digits, without a NUL. */
void sha256_end(struct sha256 *hash, char hex[SHA256_HEX]);

#endif
