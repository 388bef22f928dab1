/* At -Os the rounds below would run at a third of the speed. */
#ifndef __clang__
#pragma GCC optimize("O2")
#endif

#include "sha256.h"

#include <string.h>

#include "wire.h"

enum { LENGTH_AT = SHA256_BLOCK - 8 };

const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

/* The next of sixteen words, computed from the words before it. */
static uint32_t next_word(uint32_t words[16], int at)
{
    uint32_t a = words[(at + 1) & 15], b = words[(at + 14) & 15];
    uint32_t small0 = turn(a, 7) ^ turn(a, 18) ^ a >> 3, small1 = turn(b, 17) ^ turn(b, 19) ^ b >> 10;
    return words[at] += small0 + words[(at + 9) & 15] + small1;
}

/* One round. The macro renames the eight variables instead of moving their values. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                            \
    do {                                                                                                            \
        uint32_t word = at == 0 ? (words[i] = get_u32(block + 4 * (i))) : next_word(words, i);                      \
        uint32_t first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + constants[i] + word;  \
        d += first;                                                                                                 \
        h = first + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));                           \
    } while (0)

#define EIGHT_ROUNDS(i)                                                                                             \
    ROUND(a, b, c, d, e, f, g, h, i);                                                                               \
    ROUND(h, a, b, c, d, e, f, g, i + 1);                                                                           \
    ROUND(g, h, a, b, c, d, e, f, i + 2);                                                                           \
    ROUND(f, g, h, a, b, c, d, e, i + 3);                                                                           \
    ROUND(e, f, g, h, a, b, c, d, i + 4);                                                                           \
    ROUND(d, e, f, g, h, a, b, c, i + 5);                                                                           \
    ROUND(c, d, e, f, g, h, a, b, i + 6);                                                                           \
    ROUND(b, c, d, e, f, g, h, a, i + 7)

static void take_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t words[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int at = 0; at < 64; at += 16) {
        const uint32_t *constants = sha256_constants + at;
        EIGHT_ROUNDS(0);
        EIGHT_ROUNDS(8);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void sha256_portable(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    for (; count > 0; count--, blocks += SHA256_BLOCK)
        take_block(state, blocks);
}

void sha256_begin(struct sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->length = 0;
    sha256_blocks *hardware = sha256_hardware();
    hash->take_blocks = hardware != NULL ? hardware : sha256_portable;
}

/* Keeps bytes that do not fill a block; returns how many it took from `bytes`. */
static size_t fill_block(struct sha256 *hash, const uint8_t *bytes, size_t length)
{
    size_t filled = hash->length % SHA256_BLOCK;
    size_t part = SHA256_BLOCK - filled < length ? SHA256_BLOCK - filled : length;
    memcpy(hash->block + filled, bytes, part);
    if (filled + part == SHA256_BLOCK)
        hash->take_blocks(hash->state, hash->block, 1);
    return part;
}

void sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        size_t whole = hash->length % SHA256_BLOCK == 0 ? length / SHA256_BLOCK : 0;
        size_t part = whole * SHA256_BLOCK;
        if (whole > 0)
            hash->take_blocks(hash->state, bytes, whole);
        else
            part = fill_block(hash, bytes, length);
        hash->length += part;
        bytes += part;
        length -= part;
    }
}

void sha256_end_bytes(struct sha256 *hash, uint8_t digest[SHA256_BYTES])
{
    static const uint8_t padding[SHA256_BLOCK] = {0x80};
    uint64_t bits = hash->length * 8;
    uint8_t length[8];
    put_u64(length, bits);
    size_t filled = hash->length % SHA256_BLOCK;
    sha256_add(hash, padding, filled < LENGTH_AT ? LENGTH_AT - filled : SHA256_BLOCK + LENGTH_AT - filled);
    sha256_add(hash, length, sizeof length);
    for (int i = 0; i < SHA256_BYTES / 4; i++)
        put_u32(digest + 4 * i, hash->state[i]);
}

void sha256_end(struct sha256 *hash, char hex[SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_BYTES];
    sha256_end_bytes(hash, digest);
    for (int i = 0; i < SHA256_HEX; i++)
        hex[i] = digits[digest[i / 2] >> (4 - i % 2 * 4) & 15];
}
