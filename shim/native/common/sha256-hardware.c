/* At -Os the compiler would not unroll the loops below. */
#ifndef __clang__
#pragma GCC optimize("O2")
#endif

#include "sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define ROUNDS __attribute__((target("sha,sse4.1")))

/* The instructions expect the state as ABEF and CDGH. */
ROUNDS static void turn_in(const uint32_t state[8], __m128i *abef, __m128i *cdgh)
{
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    *abef = _mm_alignr_epi8(cdab, efgh, 8);
    *cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
}

ROUNDS static void turn_out(uint32_t state[8], __m128i abef, __m128i cdgh)
{
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

ROUNDS static void take_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef, cdgh, words[4];
    turn_in(state, &abef, &cdgh);
    for (; count > 0; count--, blocks += SHA256_BLOCK) {
        __m128i abef_before = abef, cdgh_before = cdgh;
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i *next = &words[i & 3];
            if (i < 4) {
                *next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)blocks + i), big_endian);
            } else {
                __m128i last = words[(i + 3) & 3], behind = _mm_alignr_epi8(last, words[(i + 2) & 3], 4);
                __m128i begun = _mm_sha256msg1_epu32(*next, words[(i + 1) & 3]);
                *next = _mm_sha256msg2_epu32(_mm_add_epi32(begun, behind), last);
            }
            __m128i constants = _mm_loadu_si128((const __m128i *)sha256_constants + i);
            __m128i sum = _mm_add_epi32(*next, constants);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    turn_out(state, abef, cdgh);
}

sha256_blocks *sha256_hardware(void)
{
    enum { SSSE3 = 1 << 9, SSE4_1 = 1 << 19, SHA = 1 << 29 };
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & SSSE3) == 0 || (c & SSE4_1) == 0)
        return NULL;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & SHA) == 0)
        return NULL;
    return take_blocks;
}

#elif defined(__aarch64__) && defined(__GNUC__)
#include <arm_neon.h>
#include <sys/auxv.h>

__attribute__((target("+crypto"))) static void take_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4), words[4];
    for (; count > 0; count--, blocks += SHA256_BLOCK) {
        uint32x4_t abcd_before = abcd, efgh_before = efgh;
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            uint32x4_t *next = &words[i & 3];
            if (i < 4) {
                *next = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * i)));
            } else {
                uint32x4_t begun = vsha256su0q_u32(*next, words[(i + 1) & 3]);
                *next = vsha256su1q_u32(begun, words[(i + 2) & 3], words[(i + 3) & 3]);
            }
            uint32x4_t sum = vaddq_u32(*next, vld1q_u32(sha256_constants + 4 * i)), abcd_now = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sum);
            efgh = vsha256h2q_u32(efgh, abcd_now, sum);
        }
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

sha256_blocks *sha256_hardware(void)
{
    enum { HWCAP_OF_SHA2 = 1 << 6 };
    return (getauxval(AT_HWCAP) & HWCAP_OF_SHA2) != 0 ? take_blocks : NULL;
}

#else

sha256_blocks *sha256_hardware(void)
{
    return NULL;
}

#endif
