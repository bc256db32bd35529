/*
 * The first half of deflate: finds repeated text. The encoder's hints are tried first. In the rest
 * of the text, repeats are found with a small hash table. Runs in the writer's threads, each with a
 * state of its own.
 */
#include "writer/gzip/deflate_internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define SEARCHED_MIN 4    /* bytes that a search compares at once */
#define HINTED_MIN 6      /* a shorter match costs more than literals */
#define SEARCH_GAP_MIN 24 /* text between two hints that is worth a search */

struct scan {
    struct dft_deflate *deflate;
    const char *text;
    size_t at;       /* the next byte to look at */
    size_t literals; /* from here to `at`: literals that are in no sequence yet */
    size_t end;
    uint32_t origin;
    bool failed;
};

static void add_sequence(struct scan *scan, unsigned length, unsigned distance)
{
    struct dft_buffer *sequences = &scan->deflate->sequences;
    uint32_t *counts = scan->deflate->literals;
    struct dft_sequence next = {(uint32_t)(scan->at - scan->literals), (uint16_t)length,
                                (uint16_t)(distance - 1)};

    for (const char *byte = scan->text + scan->literals; byte < scan->text + scan->at; byte++)
        counts[(unsigned char)*byte]++;
    if (dft_buffer_reserve(sequences, sizeof next))
        dft_put_bytes(sequences, (const char *)&next, sizeof next);
    else
        scan->failed = true;
}

static void add_match(struct scan *scan, size_t length, unsigned distance)
{
    struct dft_symbol symbol = dft_distance_symbol(distance);

    while (length > 0) {
        size_t part = length <= DFT_MATCH_MAX                  ? length
                      : length - DFT_MATCH_MAX < DFT_MATCH_MIN ? DFT_MATCH_MAX - DFT_MATCH_MIN
                                                               : DFT_MATCH_MAX;
        scan->deflate->literals[dft_length_symbol((unsigned)part).number]++;
        scan->deflate->distances[symbol.number]++;
        add_sequence(scan, (unsigned)part, distance);
        length -= part;
        scan->literals = scan->at += part;
    }
}

#if !defined(__SSE2__)
static uint64_t load64(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}
#endif

static size_t common_length(const char *a, const char *b, size_t most)
{
    size_t length = 0;

#if defined(__SSE2__)
    for (; length + 16 <= most; length += 16) {
        __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(a + length)),
                                       _mm_loadu_si128((const __m128i *)(b + length)));
        unsigned differ = (unsigned)_mm_movemask_epi8(equal) ^ 0xffff;
        if (differ)
            return length + (size_t)__builtin_ctz(differ);
    }
#else
    while (length + 8 <= most && load64(a + length) == load64(b + length))
        length += 8;
#endif
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

/* False if the text at `from` is outside the window, or fewer than `least` bytes of it match. */
static bool try_match(struct scan *scan, size_t from, size_t least)
{
    if (from >= scan->at || scan->at - from > DFT_DEFLATE_WINDOW)
        return false;
    size_t length = common_length(scan->text + from, scan->text + scan->at, scan->end - scan->at);
    if (length < least)
        return false;
    add_match(scan, length, (unsigned)(scan->at - from));
    return true;
}

static uint32_t *seen_place(const struct scan *scan)
{
    uint32_t word;

    memcpy(&word, scan->text + scan->at, sizeof word);
    return &scan->deflate->seen[word * 2654435761u >> (32 - DFT_DEFLATE_HASH_BITS)];
}

/*
 * Searches for repeats in text that has no hints. The table contains positions in the whole text,
 * so they stay valid when text is dropped.
 */
static void search(struct scan *scan, size_t end)
{
    while (scan->at < end && scan->end - scan->at >= SEARCHED_MIN) {
        uint32_t *seen = seen_place(scan);
        uint32_t before = *seen - 1 - scan->origin;
        *seen = scan->origin + (uint32_t)scan->at + 1;
        if (!try_match(scan, before, SEARCHED_MIN))
            scan->at++;
    }
}

/* Advances to `end`. Text that is not part of a match becomes literals. */
static void skip_to(struct scan *scan, size_t end)
{
    if (end - scan->at >= SEARCH_GAP_MIN)
        search(scan, end);
    if (scan->at < end)
        scan->at = end;
}

static void make_sequences(struct scan *scan, const struct dft_output *output)
{
    const struct dft_repeat *repeats = (const struct dft_repeat *)output->repeats.data;
    size_t count = output->repeats.used / sizeof *repeats;

    for (size_t i = 0; i < count; i++) {
        size_t at = repeats[i].at - output->origin, from = repeats[i].from - output->origin;
        if (at >= scan->end)
            continue;
        if (at < scan->at) { /* a match covers the beginning of this repeat */
            if (scan->at - at + HINTED_MIN > repeats[i].length)
                continue;
            from += scan->at - at;
        } else if (at > scan->at) {
            skip_to(scan, at);
            if (scan->at != at) /* a match extends past `at` */
                continue;
        }
        try_match(scan, from, HINTED_MIN);
    }
    skip_to(scan, scan->end);
    add_sequence(scan, 0, 1);
}

bool dft_deflate_block(struct dft_deflate *deflate, const struct dft_output *output,
                       struct dft_buffer *out)
{
    struct scan scan = {.deflate = deflate,
                        .text = output->text.data,
                        .at = output->kept,
                        .literals = output->kept,
                        .end = output->text.used,
                        .origin = output->origin};

    deflate->sequences.used = 0;
    memset(deflate->literals, 0, sizeof deflate->literals);
    memset(deflate->distances, 0, sizeof deflate->distances);
    make_sequences(&scan, output);
    return !scan.failed && dft_deflate_write(deflate, output->text.data + output->kept, out);
}
