/*
 * Decompression as the tool reads traces, the same by every library that may do it: members end
 * where they end, in whatever portions bytes come and go; what is cut has no end, and what is
 * damaged says so.
 */
#include "tool/trace/gunzip.h"
#include "unit.h"

#include <zlib.h>

#define TEXT_MOST 200000u
#define FILE_MOST (3 * TEXT_MOST)
#define MEMBERS_MOST 8u

/* Members one behind the other, and their texts. */
struct file {
    size_t count;
    size_t texts[MEMBERS_MOST + 1]; /* where each begins; the last: where it ends */
    size_t places[MEMBERS_MOST + 1];
    unsigned char text[TEXT_MOST];
    unsigned char bytes[FILE_MOST];
};

static void fill(unsigned char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text[i] =
            i > 50 && unit_draw() % 8 ? text[i - 50] : (unsigned char)('0' + unit_draw() % 64);
}

static size_t compress_member(const unsigned char *text, size_t size, unsigned char *out,
                              size_t room)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED};
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size};

    deflateInit2(&stream, (int)(unit_draw() % 10), Z_DEFLATED, 15 + 16, 8,
                 strategies[unit_draw() % 3]);
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static void make_file(struct file *file, size_t text_most)
{
    size_t text = 0, at = 0;

    file->count = 1 + unit_draw() % MEMBERS_MOST;
    fill(file->text, text_most);
    for (size_t i = 0; i < file->count; i++) {
        size_t size = unit_draw() % (text_most / MEMBERS_MOST);

        file->texts[i] = text;
        file->places[i] = at;
        at += compress_member(file->text + text, size, file->bytes + at, FILE_MOST - at);
        text += size;
    }
    file->texts[file->count] = text;
    file->places[file->count] = at;
}

/* As a reader would: in memory of just the size, so that valgrind sees a byte too many. */
struct reading {
    struct dft_gunzip *gunzip;
    const unsigned char *bytes; /* all that there is */
    size_t size;
    size_t at;
    size_t text_size;
    unsigned char text[TEXT_MOST + 1000];
    const char *problem;
};

static enum dft_gunzip_step step(struct reading *reading, size_t portion, size_t room)
{
    size_t left = reading->size - reading->at;
    size_t taken = portion < left ? portion : left;
    unsigned char *input = malloc(taken ? taken : 1);
    unsigned char *output = malloc(room);
    struct dft_gunzip_io io = {input, taken, output, room};

    memcpy(input, reading->bytes + reading->at, taken);
    enum dft_gunzip_step result = dft_gunzip_step(reading->gunzip, &io, &reading->problem);
    CHECK(io.next == input + (taken - io.left) && io.out == output + (room - io.room));
    CHECK(io.left <= taken && io.room <= room);
    reading->at += taken - io.left;
    if (CHECK(reading->text_size + (room - io.room) <= sizeof reading->text)) {
        memcpy(reading->text + reading->text_size, output, room - io.room);
        reading->text_size += room - io.room;
    }
    free(input);
    free(output);
    return result;
}

/* One member; DFT_GUNZIP_MORE: it has no end. */
static enum dft_gunzip_step read_member(struct reading *reading, size_t portion, size_t room)
{
    for (;;) {
        size_t at = reading->at, text = reading->text_size;
        enum dft_gunzip_step result = step(reading, portion, room);

        if (result != DFT_GUNZIP_MORE || (reading->at == at && reading->text_size == text))
            return result;
    }
}

static size_t draw_size(void)
{
    static const size_t mosts[] = {1, 20, 1000, 300000};

    return 1 + unit_draw() % mosts[unit_draw() % 4];
}

static void members_end_where_they_end(struct file *file, struct reading *reading)
{
    for (int round = 0; round < unit_rounds(400); round++) {
        size_t portion = draw_size(), room = draw_size();

        make_file(file, portion < 30 || room < 30 ? 4000 : TEXT_MOST);
        reading->bytes = file->bytes;
        reading->size = file->places[file->count];
        reading->at = reading->text_size = 0;
        for (size_t i = 0; i < file->count; i++) {
            dft_gunzip_reset(reading->gunzip);
            CHECK_INT(read_member(reading, portion, room), DFT_GUNZIP_END);
            CHECK_INT(reading->at, file->places[i + 1]);
            CHECK_INT(reading->text_size, file->texts[i + 1]);
        }
        CHECK(memcmp(reading->text, file->text, reading->text_size) == 0);
    }
}

static void cut_members_have_no_end(struct file *file, struct reading *reading)
{
    for (int round = 0; round < unit_rounds(1000); round++) {
        make_file(file, 8000);
        reading->bytes = file->bytes;
        reading->size = unit_draw() % file->places[1];
        reading->at = reading->text_size = 0;
        dft_gunzip_reset(reading->gunzip);
        CHECK_INT(read_member(reading, draw_size(), draw_size()), DFT_GUNZIP_MORE);
        CHECK_INT(reading->at, reading->size);
        CHECK(reading->text_size <= file->texts[1] &&
              memcmp(reading->text, file->text, reading->text_size) == 0);
    }
}

/* Never an end with another text. */
static void damage_is_noticed(struct file *file, struct reading *reading)
{
    int noticed = 0, rounds = unit_rounds(4000);

    for (int round = 0; round < rounds; round++) {
        make_file(file, round % 4 ? 8000 : TEXT_MOST);
        size_t place = unit_draw() % file->places[1];
        file->bytes[place] ^= (unsigned char)(1 << unit_draw() % 8);
        reading->bytes = file->bytes;
        reading->size = file->places[1];
        reading->at = reading->text_size = 0;
        reading->problem = NULL;
        dft_gunzip_reset(reading->gunzip);
        enum dft_gunzip_step result = read_member(reading, draw_size(), draw_size());
        if (result == DFT_GUNZIP_BAD)
            noticed += reading->problem && *reading->problem;
        else if (result == DFT_GUNZIP_END) /* what the header says of time or system, say */
            CHECK(reading->text_size == file->texts[1] &&
                  memcmp(reading->text, file->text, reading->text_size) == 0);
    }
    CHECK(noticed > rounds / 2);
}

int main(void)
{
    struct file *file = calloc(1, sizeof *file);
    struct reading *reading = calloc(1, sizeof *reading);

    reading->gunzip = dft_gunzip_new(DFT_GUNZIP_GZIP);
    members_end_where_they_end(file, reading);
    cut_members_have_no_end(file, reading);
    damage_is_noticed(file, reading);
    dft_gunzip_free(reading->gunzip);
    free(reading);
    free(file);
    return unit_result();
}
