/*
 * zlib's format (RFC 1950 and 1951), which debug sections may be compressed by. Small rather than
 * fast: it is used once for a module.
 *
 * Any thread. The input may be anything: nothing is read or written beyond its end.
 */
#include "runtime/symbols/inflate.h"

#include <stdint.h>
#include <string.h>

#define LENGTH_MOST 15 /* bits of a code */
#define LITERALS 288
#define DISTANCES 30
#define END_OF_BLOCK 256
#define LONGEST_MATCH 285 /* the symbol */

enum { BLOCK_STORED, BLOCK_FIXED, BLOCK_DYNAMIC };
enum { REPEAT_LAST = 16, REPEAT_ZERO, REPEAT_ZERO_LONG };

struct stream {
    const unsigned char *at, *end;
    uint32_t held; /* bits that are taken from the bytes, but not used */
    unsigned held_count;
    char *to;
    size_t used, size;
    bool broken;
};

/* A code by its lengths: how many symbols have each, and the symbols in the order of their codes.
 */
struct code {
    uint16_t counts[LENGTH_MOST + 1];
    uint16_t symbols[LITERALS];
};

static unsigned take_bits(struct stream *stream, unsigned count)
{
    while (stream->held_count < count) {
        if (stream->at == stream->end) {
            stream->broken = true;
            return 0;
        }
        stream->held |= (uint32_t)*stream->at++ << stream->held_count;
        stream->held_count += 8;
    }
    unsigned bits = stream->held & ((1u << count) - 1);
    stream->held >>= count;
    stream->held_count -= count;
    return bits;
}

static bool make_code(struct code *code, const uint8_t *lengths, unsigned count)
{
    uint16_t places[LENGTH_MOST + 1] = {0};
    int left = 1; /* codes of this length that are free */

    memset(code->counts, 0, sizeof code->counts);
    for (unsigned i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    for (unsigned length = 1; length <= LENGTH_MOST; length++) {
        left = 2 * left - code->counts[length];
        if (left < 0)
            return false;
        if (length < LENGTH_MOST)
            places[length + 1] = (uint16_t)(places[length] + code->counts[length]);
    }
    for (unsigned i = 0; i < count; i++)
        if (lengths[i])
            code->symbols[places[lengths[i]]++] = (uint16_t)i;
    return true;
}

static unsigned take_symbol(struct stream *stream, const struct code *code)
{
    unsigned bits = 0, first = 0, place = 0;

    for (unsigned length = 1; length <= LENGTH_MOST && !stream->broken; length++) {
        bits = bits << 1 | take_bits(stream, 1);
        if (bits - first < code->counts[length])
            return code->symbols[place + bits - first];
        place += code->counts[length];
        first = (first + code->counts[length]) << 1;
    }
    stream->broken = true;
    return END_OF_BLOCK;
}

static void put(struct stream *stream, unsigned byte)
{
    if (stream->used == stream->size)
        stream->broken = true;
    else
        stream->to[stream->used++] = (char)byte;
}

/* Of a match: what a symbol stands for, and the bits that follow it for more. */
static unsigned take_length(struct stream *stream, unsigned symbol)
{
    unsigned step = symbol - (END_OF_BLOCK + 1), more = step < 8 ? 0 : step / 4 - 1;

    if (symbol == LONGEST_MATCH)
        return 258;
    return 3 + (more ? (4 + step % 4) << more : step) + take_bits(stream, more);
}

static size_t take_distance(struct stream *stream, const struct code *distances)
{
    unsigned step = take_symbol(stream, distances), more = step < 4 ? 0 : step / 2 - 1;

    if (step >= DISTANCES) {
        stream->broken = true;
        return 0;
    }
    return 1 + (size_t)(more ? (2 + step % 2) << more : step) + take_bits(stream, more);
}

static void copy_match(struct stream *stream, unsigned length, size_t distance)
{
    if (distance > stream->used)
        stream->broken = true;
    for (; length > 0 && !stream->broken; length--)
        put(stream, (unsigned char)stream->to[stream->used - distance]);
}

static void take_block(struct stream *stream, const struct code *literals,
                       const struct code *distances)
{
    while (!stream->broken) {
        unsigned symbol = take_symbol(stream, literals);
        if (symbol < END_OF_BLOCK) {
            put(stream, symbol);
        } else if (symbol == END_OF_BLOCK || symbol > LONGEST_MATCH) {
            stream->broken = stream->broken || symbol != END_OF_BLOCK;
            return;
        } else {
            unsigned length = take_length(stream, symbol);
            copy_match(stream, length, take_distance(stream, distances));
        }
    }
}

static void take_stored(struct stream *stream)
{
    take_bits(stream, stream->held_count % 8);
    unsigned length = take_bits(stream, 16), inverse = take_bits(stream, 16);

    if (length != (inverse ^ 0xffff))
        stream->broken = true;
    for (; length > 0 && !stream->broken; length--)
        put(stream, take_bits(stream, 8));
}

static void take_fixed(struct stream *stream, struct code *literals, struct code *distances)
{
    uint8_t lengths[LITERALS];

    for (unsigned i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(distances, lengths, DISTANCES);
    take_block(stream, literals, distances);
}

/* Lengths of `count` codes, which are a code themselves. */
static void take_lengths(struct stream *stream, const struct code *code, uint8_t *lengths,
                         unsigned count)
{
    for (unsigned i = 0; i < count && !stream->broken;) {
        unsigned symbol = take_symbol(stream, code), repeat = 1;
        uint8_t length = (uint8_t)(symbol < REPEAT_LAST ? symbol : 0);
        if (symbol == REPEAT_LAST) {
            stream->broken = stream->broken || i == 0;
            length = i ? lengths[i - 1] : 0;
            repeat = 3 + take_bits(stream, 2);
        } else if (symbol == REPEAT_ZERO) {
            repeat = 3 + take_bits(stream, 3);
        } else if (symbol == REPEAT_ZERO_LONG) {
            repeat = 11 + take_bits(stream, 7);
        }
        if (repeat > count - i)
            stream->broken = true;
        for (; repeat > 0 && !stream->broken; repeat--)
            lengths[i++] = length;
    }
}

static void take_dynamic(struct stream *stream, struct code *literals, struct code *distances)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + 32] = {0};
    unsigned literal_count = 257 + take_bits(stream, 5), distance_count = 1 + take_bits(stream, 5);
    unsigned count = 4 + take_bits(stream, 4);

    for (unsigned i = 0; i < count; i++)
        lengths[order[i]] = (uint8_t)take_bits(stream, 3);
    if (literal_count > LONGEST_MATCH + 1 || distance_count > DISTANCES ||
        !make_code(literals, lengths, sizeof order)) {
        stream->broken = true;
        return;
    }
    take_lengths(stream, literals, lengths, literal_count + distance_count);
    if (stream->broken || !make_code(distances, lengths + literal_count, distance_count) ||
        !make_code(literals, lengths, literal_count))
        stream->broken = true;
    else
        take_block(stream, literals, distances);
}

bool dft_inflate(const unsigned char *from, size_t length, void *to, size_t size)
{
    struct stream stream = {.at = from, .end = from + length, .to = to, .size = size};
    struct code literals, distances;
    unsigned method = take_bits(&stream, 8), flags = take_bits(&stream, 8);
    bool last = false;

    if ((method & 0xf) != 8 || (method << 8 | flags) % 31 != 0 || flags & 0x20)
        return false;
    while (!last && !stream.broken) {
        last = take_bits(&stream, 1);
        switch (take_bits(&stream, 2)) {
        case BLOCK_STORED:
            take_stored(&stream);
            break;
        case BLOCK_FIXED:
            take_fixed(&stream, &literals, &distances);
            break;
        case BLOCK_DYNAMIC:
            take_dynamic(&stream, &literals, &distances);
            break;
        default:
            stream.broken = true;
        }
    }
    return !stream.broken && stream.used == size;
}
