/*
 * Reading what zlib has compressed: everything comes back as it was, at every level and by every
 * strategy; what is cut or damaged is refused or makes other bytes, and never more than there is
 * room for.
 */
#include "runtime/symbols/inflate.h"
#include "unit.h"

#include <stdlib.h>
#include <zlib.h>

#define SIZE_MOST 100000u

/* With repeats near and far, and bytes of which some are rare. */
static void fill(char *bytes, size_t size, unsigned kinds)
{
    for (size_t i = 0; i < size; i++)
        if (i > 300 && unit_draw() % 20 == 0) {
            size_t back = 1 + unit_draw() % (i < 40000 ? i : 40000);
            for (size_t n = unit_draw() % 300; n > 0 && i < size; n--, i++)
                bytes[i] = bytes[i - back];
            i--;
        } else {
            bytes[i] = (char)(unit_draw() % kinds * (unit_draw() % kinds) / kinds);
        }
}

static size_t compress_bytes(const char *bytes, size_t size, unsigned char *into, size_t room,
                             int level, int strategy)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};

    deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy);
    stream.next_out = into;
    stream.avail_out = (uInt)room;
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    size_t length = room - stream.avail_out;
    deflateEnd(&stream);
    return length;
}

/* Into memory of just that size, so that sanitizers and valgrind see a byte too many. */
static bool comes_back(const unsigned char *from, size_t length, const char *bytes, size_t size)
{
    unsigned char *input = malloc(length + 1);
    char *back = malloc(size + 1);

    memcpy(input, from, length);
    back[size] = 'x';
    bool same = dft_inflate(input, length, back, size) && memcmp(back, bytes, size) == 0;
    CHECK(back[size] == 'x');
    free(back);
    free(input);
    return same;
}

int main(void)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    static char bytes[SIZE_MOST];
    static unsigned char packed[2 * SIZE_MOST];

    for (unsigned round = 0; round < 24; round++) {
        size_t size = round < 4 ? round : unit_draw() % SIZE_MOST;
        fill(bytes, size, 1 + unit_draw() % 256);
        for (int level = 0; level <= 9; level += 3) {
            size_t length =
                compress_bytes(bytes, size, packed, sizeof packed, level, strategies[round % 4]);
            CHECK(comes_back(packed, length, bytes, size));
            CHECK(!comes_back(packed, length, bytes, size + 1));
            CHECK(size == 0 || !comes_back(packed, length, bytes, size - 1));
            CHECK(!comes_back(packed, length > 8 ? unit_draw() % (length - 8) : 1, bytes, size));
            for (int i = 0; i < 20; i++) {
                size_t at = unit_draw() % length;
                unsigned char was = packed[at];
                packed[at] ^= (unsigned char)(1u << unit_draw() % 8);
                comes_back(packed, length, bytes, size);
                packed[at] = was;
            }
        }
    }
    return unit_result();
}
