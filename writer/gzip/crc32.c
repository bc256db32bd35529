/*
 * gzip's checksum. With the processor's carry-less multiplication, the checksum costs next to
 * nothing compared with the rest of the writer. On processors without that instruction, tables are
 * used, for eight bytes at a time.
 */
#include "writer/gzip/crc32.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define POLYNOMIAL 0xedb88320u

static uint32_t tables[8][256];
static _Atomic bool has_tables;

/* Several threads may fill the tables at the same time, with the same values. */
static void fill_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        __atomic_store_n(&tables[0][i], crc, __ATOMIC_RELAXED);
    }
    for (int t = 1; t < 8; t++)
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t before = __atomic_load_n(&tables[t - 1][i], __ATOMIC_RELAXED);
            __atomic_store_n(&tables[t][i], tables[0][before & 255] ^ before >> 8,
                             __ATOMIC_RELAXED);
        }
    atomic_store_explicit(&has_tables, true, memory_order_release);
}

static uint32_t by_tables(uint32_t crc, const char *data, size_t length)
{
    const unsigned char *at = (const unsigned char *)data;

    for (; length >= 8; length -= 8, at += 8) {
        uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                              (uint32_t)at[3] << 24);
        crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^
              tables[4][low >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
              tables[0][at[7]];
    }
    while (length-- > 0)
        crc = tables[0][(crc ^ *at++) & 255] ^ crc >> 8;
    return crc;
}

#if defined(__x86_64__)
static bool can_multiply(void)
{
    static _Atomic int known; /* 0: not asked yet, 1: no, 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    unsigned eax, ebx, ecx, edx;

    if (answer == 0) {
        answer = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_PCLMUL) ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

__attribute__((target("pclmul"))) static inline __m128i fold(__m128i state, __m128i by,
                                                             const char *data)
{
    __m128i low = _mm_clmulepi64_si128(state, by, 0x00);
    __m128i high = _mm_clmulepi64_si128(state, by, 0x11);

    return _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128((const __m128i *)data));
}

/*
 * Folds 64 bytes or more into 16 bytes with the same remainder. There is one multiplier for each
 * half of the state: x to the power of the distance, in bits, by which that half is moved, modulo
 * the polynomial. The bits of a multiplier are in the checksum's order.
 */
__attribute__((target("pclmul"))) static void fold_all(uint32_t crc, const char *data,
                                                       size_t blocks, char rest[16])
{
    const __m128i by_64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i state[4];

    for (int i = 0; i < 4; i++)
        state[i] = _mm_loadu_si128((const __m128i *)data + i);
    state[0] = _mm_xor_si128(state[0], _mm_cvtsi32_si128((int)crc));
    for (data += 64; blocks > 1; blocks--, data += 64) {
        state[0] = fold(state[0], by_64, data); /* unrolled: the states stay in registers */
        state[1] = fold(state[1], by_64, data + 16);
        state[2] = fold(state[2], by_64, data + 32);
        state[3] = fold(state[3], by_64, data + 48);
    }
    for (int i = 1; i < 4; i++) {
        char next[16];
        _mm_storeu_si128((__m128i *)next, state[i]);
        state[i] = fold(state[i - 1], by_16, next);
    }
    _mm_storeu_si128((__m128i *)rest, state[3]);
}
#endif

uint32_t dft_crc32(uint32_t crc, const char *data, size_t length)
{
    if (!atomic_load_explicit(&has_tables, memory_order_acquire))
        fill_tables();
    crc = ~crc;
#if defined(__x86_64__)
    if (length >= 64 && can_multiply()) {
        char rest[16];
        fold_all(crc, data, length / 64, rest);
        crc = by_tables(0, rest, sizeof rest);
        data += length / 64 * 64;
        length %= 64;
    }
#endif
    return ~by_tables(crc, data, length);
}
