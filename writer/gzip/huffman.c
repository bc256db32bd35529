/* Huffman codes as deflate wants them: canonical and of limited length. Runs in the writer. */
#include "writer/gzip/huffman.h"

#include <string.h>

#define LENGTH_MAX 15

/* A count and a symbol in one number, so that numbers sort by count. */
#define PACK(count, symbol) ((count) << 9 | (symbol))
#define COUNT(packed) ((packed) >> 9)
#define SYMBOL(packed) ((packed)&511u)

/* Shellsort, for a few hundred numbers: qsort might use the heap. */
static void sort(uint32_t *numbers, unsigned count)
{
    static const unsigned gaps[] = {57, 23, 10, 4, 1};

    for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (unsigned gap = gaps[g], i = gap; i < count; i++) {
            uint32_t moved = numbers[i];
            unsigned j = i;
            for (; j >= gap && numbers[j - gap] > moved; j -= gap)
                numbers[j] = numbers[j - gap];
            numbers[j] = moved;
        }
}

static unsigned list_symbols(uint32_t *sorted, const uint32_t *counts, unsigned symbols)
{
    unsigned used = 0;

    for (unsigned i = 0; i < symbols; i++)
        if (counts[i])
            sorted[used++] = PACK(counts[i], i);
    for (unsigned i = 0; used < 2; i++)
        if (!counts[i])
            sorted[used++] = PACK(1u, i);
    sort(sorted, used);
    return used;
}

/* Takes the rarer of the next leaf and the next inner node; returns its index among all nodes. */
static unsigned take_rarest(const uint32_t *weights, unsigned leaves, unsigned *leaf,
                            unsigned *inner, unsigned made)
{
    if (*inner >= made || (*leaf < leaves && weights[*leaf] <= weights[*inner]))
        return (*leaf)++;
    return (*inner)++;
}

/*
 * Counts the symbols with each code length, as if there were no limit. Codes that are too long are
 * counted as `limit` bits long.
 */
static void count_lengths(const uint32_t *sorted, unsigned used, unsigned limit,
                          unsigned per_length[LENGTH_MAX + 1])
{
    uint32_t weights[2 * DFT_HUFFMAN_MAX] = {0};
    uint16_t parents[2 * DFT_HUFFMAN_MAX] = {0};
    uint8_t depths[2 * DFT_HUFFMAN_MAX] = {0};
    unsigned leaf = 0, inner = used, made = used;

    for (unsigned i = 0; i < used; i++)
        weights[i] = COUNT(sorted[i]);
    for (; made < 2 * used - 1; made++) {
        unsigned a = take_rarest(weights, used, &leaf, &inner, made);
        unsigned b = take_rarest(weights, used, &leaf, &inner, made);
        weights[made] = weights[a] + weights[b];
        parents[a] = parents[b] = (uint16_t)made;
    }
    depths[made - 1] = 0;
    for (unsigned i = made - 1; i-- > 0;) {
        depths[i] = (uint8_t)(depths[parents[i]] + 1);
        if (i < used)
            per_length[depths[i] < limit ? depths[i] : limit]++;
    }
}

/* Lengthens short codes until there is a code for every symbol again. */
static void respect_limit(unsigned per_length[LENGTH_MAX + 1], unsigned limit)
{
    unsigned taken = 0;

    for (unsigned length = 1; length <= limit; length++)
        taken += per_length[length] << (limit - length);
    for (; taken > 1u << limit; taken--) {
        unsigned length = limit - 1;
        while (per_length[length] == 0)
            length--;
        per_length[length]--;
        per_length[length + 1] += 2;
        per_length[limit]--;
    }
}

static uint16_t reverse(unsigned code, unsigned length)
{
    unsigned reversed = 0;

    for (unsigned i = 0; i < length; i++)
        reversed |= (code >> i & 1) << (length - 1 - i);
    return (uint16_t)reversed;
}

static void number_codes(struct dft_huffman *code, const unsigned per_length[LENGTH_MAX + 1],
                         unsigned symbols)
{
    unsigned next[LENGTH_MAX + 2] = {0};

    for (unsigned length = 1; length <= LENGTH_MAX; length++)
        next[length + 1] = (next[length] + per_length[length]) << 1;
    for (unsigned i = 0; i < symbols; i++)
        if (code->lengths[i])
            code->codes[i] = reverse(next[code->lengths[i]]++, code->lengths[i]);
}

void dft_huffman_make(struct dft_huffman *code, const uint32_t *counts, unsigned symbols,
                      unsigned limit)
{
    uint32_t sorted[DFT_HUFFMAN_MAX];
    unsigned per_length[LENGTH_MAX + 1] = {0};
    unsigned used = list_symbols(sorted, counts, symbols), rarest = 0;

    memset(code, 0, sizeof *code);
    count_lengths(sorted, used, limit, per_length);
    respect_limit(per_length, limit);
    for (unsigned length = limit; length > 0; length--)
        for (unsigned i = 0; i < per_length[length]; i++)
            code->lengths[SYMBOL(sorted[rarest++])] = (uint8_t)length;
    number_codes(code, per_length, symbols);
}
