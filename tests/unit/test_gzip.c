/*
 * The writer's own gzip, against zlib's reading of it: every kind of text comes back as it was,
 * whatever the hints say, and the checksum is zlib's.
 */
#include "unit.h"
#include "writer/gzip/crc32.h"
#include "writer/gzip/gzip.h"

#include <stdlib.h>
#include <zlib.h>

static struct dft_gzip gzip;
static struct dft_output output;
static struct dft_buffer out, all;

static void put_text(const char *text, size_t length)
{
    dft_buffer_reserve(&output.text, length);
    dft_buffer_reserve(&all, length);
    dft_put_bytes(&output.text, text, length);
    dft_put_bytes(&all, text, length);
}

static void hint(uint32_t at, uint32_t from)
{
    struct dft_repeat repeat = {at, from, unit_draw() % 40};

    dft_buffer_reserve(&output.repeats, sizeof repeat);
    dft_put_bytes(&output.repeats, (const char *)&repeat, sizeof repeat);
}

static uint32_t here(void)
{
    return output.origin + (uint32_t)output.text.used;
}

/* Reads all members and compares them with what was put in; returns how many there were. */
static int read_back(void)
{
    char *back = malloc(all.used + 1);
    size_t length = 0;
    int members = 0;
    z_stream stream = {.next_in = (Bytef *)out.data, .avail_in = (uInt)out.used};

    while (stream.avail_in > 0) {
        inflateInit2(&stream, 15 + 16);
        stream.next_out = (Bytef *)back + length;
        stream.avail_out = (uInt)(all.used + 1 - length);
        int result = inflate(&stream, Z_FINISH);
        length = (size_t)((char *)stream.next_out - back);
        inflateEnd(&stream);
        if (!CHECK_INT(result, Z_STREAM_END))
            break;
        members++;
    }
    CHECK(length == all.used && memcmp(back, all.data, length) == 0);
    free(back);
    out.used = all.used = 0;
    return members;
}

static void close_member(void)
{
    CHECK(dft_gzip_add(&gzip, &output, &out));
    CHECK(dft_gzip_close_member(&gzip, &output, &out));
}

static void checksum_is_that_of_zlib(void)
{
    static char data[5000];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)unit_draw();
    for (size_t length = 0; length < 400; length++)
        if (!CHECK_INT(dft_crc32(7, data + length % 5, length),
                       crc32(7, (Bytef *)data + length % 5, (uInt)length)))
            break;
    CHECK_INT(dft_crc32(0, data, sizeof data), crc32(0, (Bytef *)data, sizeof data));
}

static void short_and_empty_texts(void)
{
    close_member(); /* nothing: no member */
    CHECK_INT(out.used, 0);
    for (size_t length = 1; length < 40; length++) {
        put_text("aaaabaaaabcdefghijklmnopqrstuvwxyz0123456789", length);
        close_member();
        CHECK_INT(read_back(), 1);
    }
}

/* Every match length, every distance class, and a symbol so frequent that others get long codes. */
static void long_runs_and_far_matches(void)
{
    char noise[300];

    for (size_t length = 1; length < 1200; length += 1 + length / 40) {
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (char)unit_draw();
        put_text(noise, sizeof noise);
        for (size_t i = 0; i < length; i++)
            put_text("x", 1);
        put_text(noise, sizeof noise);
    }
    close_member();
    CHECK_INT(read_back(), 1);

    /* Counts that grow like Fibonacci's numbers would need codes of more than 15 bits. */
    for (unsigned symbol = 0, a = 1, b = 1; symbol < 24; symbol++) {
        for (unsigned i = 0; i < a; i++)
            put_text((char[]){(char)('a' + symbol), (char)unit_draw()}, 2);
        unsigned sum = a + b;
        a = b;
        b = sum;
    }
    close_member();
    CHECK_INT(read_back(), 1);
}

static void all_bytes_at_random(void)
{
    for (int i = 0; i < 300000; i++)
        put_text((char[]){(char)unit_draw()}, 1);
    close_member();
    CHECK(out.used < 301000);
    CHECK_INT(read_back(), 1);
}

/* Hints may be right, wrong, out of order, out of reach or in the future. */
static void hints_never_change_the_text(void)
{
    static const char *const words[] = {"{\"name\":\"solver::step\",\"ts\":", "0", "1.5", "\n,\n",
                                        "{\"name\":\"io::read<unsigned long>\",\"ts\":"};
    uint32_t last[5] = {0};
    int members = 0;

    for (int i = 0; i < 60000; i++) {
        unsigned word = unit_draw() % 5;
        if (unit_draw() % 3)
            hint(here(), unit_draw() % 4 ? last[word] : here() - unit_draw() % 70000);
        if (unit_draw() % 50 == 0)
            hint(here() + unit_draw() % 9 - 4, here() + unit_draw() % 9 - 4);
        last[word] = here();
        put_text(words[word], strlen(words[word]));
        if (unit_draw() % 1000 == 0)
            CHECK(dft_gzip_add(&gzip, &output, &out));
        if (unit_draw() % 10000 == 0) {
            close_member();
            members++;
        }
    }
    close_member();
    CHECK_INT(read_back(), members + 1);
}

/* Positions are 32 bits and start again. */
static void positions_wrap_round(void)
{
    output.origin = UINT32_MAX - 50000;
    for (int i = 0; i < 4000; i++) {
        hint(here(), here() - 24);
        put_text("a line of 24 characters\n", 24);
        if (i % 500 == 0)
            CHECK(dft_gzip_add(&gzip, &output, &out));
    }
    close_member();
    CHECK(out.used < 2000);
    CHECK_INT(read_back(), 1);
}

/* What comes without hints is searched. */
static void repetition_is_found_without_hints(void)
{
    for (int i = 0; i < 20000; i++)
        put_text("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1}\n,\n", 43);
    close_member();
    CHECK(out.used < 20000);
    CHECK_INT(read_back(), 1);
}

/* Memory ran out before a member was complete: nothing of it is in the next one. */
static void abandoned_members_leave_nothing_behind(void)
{
    put_text("abandoned, and of a length that ends inside of a byte", 53);
    CHECK(dft_gzip_add(&gzip, &output, &out));
    gzip.open = false;
    output.text.used = output.kept = output.repeats.used = 0;
    out.used = all.used = 0;
    put_text("the next one, abandoned or not", 30);
    close_member();
    CHECK_INT(read_back(), 1);
}

int main(void)
{
    checksum_is_that_of_zlib();
    short_and_empty_texts();
    long_runs_and_far_matches();
    all_bytes_at_random();
    hints_never_change_the_text();
    positions_wrap_round();
    repetition_is_found_without_hints();
    abandoned_members_leave_nothing_behind();
    dft_gzip_release(&gzip);
    return unit_result();
}
