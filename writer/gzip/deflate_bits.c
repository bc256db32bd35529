/*
 * The second half of deflate: makes Huffman codes from the frequencies of the symbols, and writes
 * the block with them. Runs in the writer's threads, each with a state of its own.
 */
#include "writer/gzip/deflate_internal.h"

#define END_OF_BLOCK 256
#define LITERAL_ALPHABET 286
#define DISTANCE_ALPHABET 30
#define CODE_LENGTH_ALPHABET 19
#define CODE_MAX 15
#define CODE_LENGTH_MAX 7

/* Appends bits. Needs room for eight bytes more than it writes. */
struct writer {
    char *at;
    uint64_t bits;
    unsigned count;
};

static inline void put_bits(struct writer *writer, uint64_t bits, unsigned count)
{
    writer->bits |= bits << writer->count;
    writer->count += count;
}

/* Writes whole bytes and keeps at most 7 bits. `bits` must contain fewer than 64 bits. */
static inline void flush_bits(struct writer *writer)
{
    uint64_t bits = writer->bits;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    memcpy(writer->at, &bits, sizeof bits);
    writer->at += writer->count >> 3;
    writer->bits >>= writer->count & ~7u;
    writer->count &= 7;
}

/* The header of a block: how the lengths of its codes are themselves coded. */
struct header {
    struct dft_huffman code;
    unsigned literal_count, distance_count, length_count;
    unsigned item_count;
    struct {
        uint8_t symbol, more, value;
    } items[LITERAL_ALPHABET + DISTANCE_ALPHABET];
};

static const uint8_t length_order[CODE_LENGTH_ALPHABET] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                           11, 4,  12, 3, 13, 2, 14, 1, 15};

static void add_item(struct header *header, unsigned symbol, unsigned more, unsigned value)
{
    header->items[header->item_count].symbol = (uint8_t)symbol;
    header->items[header->item_count].more = (uint8_t)more;
    header->items[header->item_count++].value = (uint8_t)value;
}

/* One run of equal code lengths. */
static void add_run(struct header *header, unsigned length, unsigned run)
{
    if (length) {
        add_item(header, length, 0, 0);
        run--;
    }
    while (run >= 3) {
        unsigned most = length ? 6 : 138, part = run < most ? run : most;
        if (length)
            add_item(header, 16, 2, part - 3);
        else if (part <= 10)
            add_item(header, 17, 3, part - 3);
        else
            add_item(header, 18, 7, part - 11);
        run -= part;
    }
    while (run-- > 0)
        add_item(header, length, 0, 0);
}

static unsigned trimmed(const struct dft_huffman *code, unsigned symbols, unsigned least)
{
    while (symbols > least && code->lengths[symbols - 1] == 0)
        symbols--;
    return symbols;
}

static void make_header(struct header *header, const struct dft_huffman *literals,
                        const struct dft_huffman *distances)
{
    uint8_t lengths[LITERAL_ALPHABET + DISTANCE_ALPHABET];
    uint32_t counts[CODE_LENGTH_ALPHABET] = {0};

    header->item_count = 0;
    header->literal_count = trimmed(literals, LITERAL_ALPHABET, DFT_LENGTH_SYMBOLS);
    header->distance_count = trimmed(distances, DISTANCE_ALPHABET, 1);
    unsigned all = header->literal_count + header->distance_count;
    memcpy(lengths, literals->lengths, header->literal_count);
    memcpy(lengths + header->literal_count, distances->lengths, header->distance_count);
    for (unsigned i = 0; i < all;) {
        unsigned run = 1;
        while (i + run < all && lengths[i + run] == lengths[i])
            run++;
        add_run(header, lengths[i], run);
        i += run;
    }
    for (unsigned i = 0; i < header->item_count; i++)
        counts[header->items[i].symbol]++;
    dft_huffman_make(&header->code, counts, CODE_LENGTH_ALPHABET, CODE_LENGTH_MAX);
    header->length_count = CODE_LENGTH_ALPHABET;
    while (header->length_count > 4 &&
           header->code.lengths[length_order[header->length_count - 1]] == 0)
        header->length_count--;
}

static void put_header(struct writer *writer, const struct header *header)
{
    put_bits(writer, 0 | 2 << 1, 3); /* not the last block; codes of its own */
    put_bits(writer, header->literal_count - DFT_LENGTH_SYMBOLS, 5);
    put_bits(writer, header->distance_count - 1, 5);
    put_bits(writer, header->length_count - 4, 4);
    for (unsigned i = 0; i < header->length_count; i++) {
        flush_bits(writer);
        put_bits(writer, header->code.lengths[length_order[i]], 3);
    }
    for (unsigned i = 0; i < header->item_count; i++) {
        unsigned symbol = header->items[i].symbol;
        flush_bits(writer);
        put_bits(writer, header->code.codes[symbol], header->code.lengths[symbol]);
        put_bits(writer, header->items[i].value, header->items[i].more);
    }
    flush_bits(writer);
}

/* Codes of symbols, and of lengths with their extra bits. The lowest byte is the number of bits. */
struct codes {
    uint32_t literals[END_OF_BLOCK + 1];
    uint32_t lengths[DFT_MATCH_MAX + 1];
    uint32_t distances[DISTANCE_ALPHABET];
};

static void make_codes(struct codes *codes, const struct dft_huffman *literals,
                       const struct dft_huffman *distances)
{
    for (unsigned i = 0; i <= END_OF_BLOCK; i++)
        codes->literals[i] = (uint32_t)literals->codes[i] << 8 | literals->lengths[i];
    for (unsigned length = DFT_MATCH_MIN; length <= DFT_MATCH_MAX; length++) {
        struct dft_symbol symbol = dft_length_symbol(length);
        unsigned bits = literals->lengths[symbol.number];
        codes->lengths[length] = (literals->codes[symbol.number] | (length - symbol.base) << bits)
                                     << 8 |
                                 (bits + symbol.more);
    }
    for (unsigned i = 0; i < DISTANCE_ALPHABET; i++)
        codes->distances[i] = (uint32_t)distances->codes[i] << 8 | distances->lengths[i];
}

static inline void put_code(struct writer *writer, uint32_t code)
{
    put_bits(writer, code >> 8, code & 255);
}

static const char *put_literals(struct writer *to, const char *text, uint32_t count,
                                const struct codes *codes)
{
    for (; count >= 3; count -= 3, text += 3) {
        put_code(to, codes->literals[(unsigned char)text[0]]);
        put_code(to, codes->literals[(unsigned char)text[1]]);
        put_code(to, codes->literals[(unsigned char)text[2]]);
        flush_bits(to);
    }
    for (uint32_t i = 0; i < count; i++)
        put_code(to, codes->literals[(unsigned char)text[i]]);
    flush_bits(to);
    return text + count;
}

static void put_sequences(struct writer *writer, const struct dft_buffer *sequences,
                          const char *text, const struct codes *codes)
{
    const struct dft_sequence *next = (const struct dft_sequence *)sequences->data;
    const struct dft_sequence *end = next + sequences->used / sizeof *next;
    struct writer to = *writer; /* in registers */

    for (; next < end; next++) {
        text = put_literals(&to, text, next->literals, codes);
        if (next->length == 0)
            continue;
        struct dft_symbol symbol = dft_distance_symbol(next->distance + 1u);
        put_code(&to, codes->lengths[next->length]);
        put_code(&to, codes->distances[symbol.number]);
        put_bits(&to, next->distance + 1u - symbol.base, symbol.more);
        flush_bits(&to);
        text += next->length;
    }
    put_code(&to, codes->literals[END_OF_BLOCK]);
    flush_bits(&to);
    *writer = to;
}

/* An upper bound of the block's size in bytes. */
static size_t block_size(const struct dft_deflate *deflate, const struct dft_huffman *literals,
                         const struct dft_huffman *distances)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < LITERAL_ALPHABET; i++)
        bits += (uint64_t)deflate->literals[i] * (literals->lengths[i] + 5u);
    for (unsigned i = 0; i < DISTANCE_ALPHABET; i++)
        bits += (uint64_t)deflate->distances[i] * (distances->lengths[i] + 13u);
    return bits / 8 + 1024;
}

bool dft_deflate_write(struct dft_deflate *deflate, const char *text, struct dft_buffer *out)
{
    struct dft_huffman literals, distances;
    struct header header;
    struct codes codes;

    deflate->literals[END_OF_BLOCK]++;
    dft_huffman_make(&literals, deflate->literals, LITERAL_ALPHABET, CODE_MAX);
    dft_huffman_make(&distances, deflate->distances, DISTANCE_ALPHABET, CODE_MAX);
    if (!dft_buffer_reserve(out, block_size(deflate, &literals, &distances)))
        return false;
    make_header(&header, &literals, &distances);
    make_codes(&codes, &literals, &distances);

    struct writer writer = {out->data + out->used, deflate->bits, deflate->bit_count};
    put_header(&writer, &header);
    put_sequences(&writer, &deflate->sequences, text, &codes);
    out->used = (size_t)(writer.at - out->data);
    deflate->bits = writer.bits;
    deflate->bit_count = writer.count;
    return true;
}

void dft_deflate_begin(struct dft_deflate *deflate)
{
    deflate->bits = deflate->bit_count = 0;
    memset(deflate->seen, 0, sizeof deflate->seen);
}

bool dft_deflate_end(struct dft_deflate *deflate, struct dft_buffer *out)
{
    if (!dft_buffer_reserve(out, 16))
        return false;
    struct writer writer = {out->data + out->used, deflate->bits, deflate->bit_count};
    put_bits(&writer, 1 | 1 << 1, 3); /* the last block, with the fixed codes: */
    put_bits(&writer, 0, 7);          /* only the end of the block */
    writer.count = (writer.count + 7) & ~7u;
    flush_bits(&writer);
    out->used = (size_t)(writer.at - out->data);
    return true;
}
