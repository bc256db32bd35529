/*
 * Adler-32 (RFC 1950): two sums modulo 65521, of the bytes and of the first sum after each byte.
 * Runs in the writer's threads. The sums of a block are computed without a division: a block is so
 * short that they fit into 32 bits.
 */
#include "writer/gzip/adler32.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define MODULUS 65521u
#define BLOCK_MAX 5552u /* the longest for which the second sum fits into 32 bits */
#define STEP 16u

struct sums {
    uint32_t first, second;
};

#if defined(__SSE2__)
static uint32_t add_up(__m128i parts)
{
    parts = _mm_add_epi32(parts, _mm_shuffle_epi32(parts, _MM_SHUFFLE(1, 0, 3, 2)));
    parts = _mm_add_epi32(parts, _mm_shuffle_epi32(parts, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(parts);
}

/* `length` is a multiple of STEP. */
static struct sums add_steps(struct sums sums, const unsigned char *bytes, size_t length)
{
    const __m128i zero = _mm_setzero_si128();
    const __m128i high_weights = _mm_set_epi16(9, 10, 11, 12, 13, 14, 15, 16);
    const __m128i low_weights = _mm_set_epi16(1, 2, 3, 4, 5, 6, 7, 8);
    __m128i before = zero; /* sums of all earlier steps, added up over the steps */
    __m128i first = zero, weighted = zero;

    for (size_t i = 0; i < length; i += STEP) {
        __m128i step = _mm_loadu_si128((const __m128i *)(bytes + i));
        before = _mm_add_epi32(before, first);
        first = _mm_add_epi32(first, _mm_sad_epu8(step, zero));
        weighted =
            _mm_add_epi32(weighted, _mm_madd_epi16(_mm_unpacklo_epi8(step, zero), high_weights));
        weighted =
            _mm_add_epi32(weighted, _mm_madd_epi16(_mm_unpackhi_epi8(step, zero), low_weights));
    }
    sums.second += sums.first * (uint32_t)length + add_up(before) * STEP + add_up(weighted);
    sums.first += add_up(first);
    return sums;
}
#else
static struct sums add_steps(struct sums sums, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sums.first += bytes[i];
        sums.second += sums.first;
    }
    return sums;
}
#endif

uint32_t dft_adler32(uint32_t sum, const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    struct sums sums = {sum & 0xffff, sum >> 16};

    while (length > 0) {
        size_t block = length < BLOCK_MAX ? length : BLOCK_MAX;
        size_t steps = block - block % STEP;
        sums = add_steps(sums, at, steps);
        for (size_t i = steps; i < block; i++) {
            sums.first += at[i];
            sums.second += sums.first;
        }
        sums.first %= MODULUS;
        sums.second %= MODULUS;
        at += block;
        length -= block;
    }
    return sums.second << 16 | sums.first;
}
