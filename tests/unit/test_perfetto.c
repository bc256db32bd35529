/*
 * Parts of the Perfetto encoder: the order of begins and ends, with ties, overlaps and threads in
 * turns; numbers of protobuf; the checksum of compressed packets.
 */
#include "unit.h"
#include "writer/encode/perfetto_stream.h"
#include "writer/encode/protobuf.h"
#include "writer/gzip/adler32.h"

#include <stdlib.h>
#include <zlib.h>

#define CALLS_MAX 4000

static struct dft_call calls[CALLS_MAX];
static size_t call_count;
static struct dft_stream stream;
static uint64_t random_state = 88172645463325252u;

static uint32_t draw(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 20) % limit;
}

static void add(uint64_t start, uint64_t end, int32_t tid)
{
    calls[call_count++] =
        (struct dft_call){.start_ns = start, .end_ns = end, .site = 1, .tid = tid};
}

/* A tree of calls of one thread. Steps of 0 ns make ties of every kind. */
static uint64_t add_tree(uint64_t now, unsigned depth, int32_t tid)
{
    uint64_t start = now;

    now += draw(3);
    for (unsigned i = draw(4); i > 0 && depth > 0 && call_count < CALLS_MAX / 2; i--)
        now = add_tree(now, depth - 1, tid) + draw(2);
    now += draw(3);
    add(start, now, tid);
    return now;
}

/* Replays the stream with a stack for each thread: each end must end the call that begun last. */
static unsigned replay(void)
{
    const struct dft_stream_thread *threads = (const struct dft_stream_thread *)stream.threads.data;
    const struct dft_cut *cuts = (const struct dft_cut *)stream.cuts.data;
    static uint32_t open[CALLS_MAX];
    unsigned begun = 0;

    for (size_t i = 0; i < stream.threads.used / sizeof *threads; i++) {
        const dft_item *item = (const dft_item *)stream.items.data + threads[i].first_item;
        uint64_t now = 0;
        size_t depth = 0;
        for (uint32_t k = 0; k < threads[i].item_count; k++, item++) {
            bool is_cut = DFT_ITEM_IS_CUT(*item), begins = DFT_ITEM_KIND(*item) == DFT_ITEM_BEGIN;
            uint32_t number = DFT_ITEM_NUMBER(*item);
            uint64_t ns = is_cut ? cuts[number].ns : 0;
            number = is_cut ? cuts[number].call : number;
            if (!is_cut)
                ns = begins ? calls[number].start_ns : calls[number].end_ns;
            CHECK(ns >= now);
            now = ns;
            CHECK_INT(calls[number].tid, threads[i].tid);
            if (begins) {
                open[depth++] = number;
                begun++;
            } else if (CHECK(depth > 0)) {
                CHECK_INT(open[--depth], number);
            }
        }
        CHECK_INT(depth, 0);
    }
    return begun;
}

static bool make(void)
{
    return CHECK(dft_stream_make(&stream, calls, call_count, NULL));
}

static size_t cut_count(void)
{
    return stream.cuts.used / sizeof(struct dft_cut);
}

static void calls_that_nest_are_never_cut(void)
{
    for (unsigned round = 0; round < 200; round++) {
        call_count = 0;
        uint64_t now = 1000;
        while (draw(4) > 0)
            now = add_tree(now, draw(7), 7);
        if (make()) {
            CHECK_INT(cut_count(), 0);
            CHECK_INT(replay(), call_count);
        }
    }
}

/* The kinds of the items, and the numbers of their calls. */
static void check_items(const char *expected)
{
    char text[64] = "", *at = text;
    const dft_item *item = (const dft_item *)stream.items.data;

    for (size_t i = 0; i < stream.items.used / sizeof *item; i++)
        at += sprintf(at, "%c%u ", DFT_ITEM_KIND(item[i]) == DFT_ITEM_BEGIN ? 'B' : 'E',
                      (unsigned)DFT_ITEM_NUMBER(item[i]));
    CHECK_TEXT(text, expected);
}

static void ties_are_nested_like_in_json(void)
{
    call_count = 0;
    add(10, 20, 1); /* inside 1: the same times */
    add(10, 20, 1); /* inside 2: the same start */
    add(10, 30, 1);
    if (make())
        check_items("B2 B1 B0 E0 E1 E2 ");
    call_count = 0;
    add(10, 20, 1); /* siblings that touch, in a caller with the same end */
    add(20, 30, 1);
    add(10, 30, 1);
    if (make())
        check_items("B2 B0 E0 B1 E1 E2 ");
    call_count = 0;
    add(10, 10, 1); /* without a duration, at the begin and at the end of a call */
    add(20, 20, 1);
    add(10, 20, 1);
    if (make())
        check_items("B2 B0 E0 B1 E1 E2 ");
}

static void threads_in_turns_have_streams_of_their_own(void)
{
    call_count = 0;
    for (unsigned turn = 0; turn < 50; turn++)
        add_tree(1000 + 100 * turn, 3, (int32_t)(turn % 5));
    if (make()) {
        CHECK_INT(cut_count(), 0);
        CHECK_INT(stream.threads.used / sizeof(struct dft_stream_thread), 5);
        CHECK_INT(replay(), call_count);
    }
}

static void an_overlap_is_cut(void)
{
    call_count = 0;
    add(10, 25, 1);
    add(20, 40, 1);
    if (make()) {
        CHECK_INT(replay(), 2);
        CHECK_INT(cut_count(), 2); /* its end, and the mark at its begin */
        CHECK_INT(((const struct dft_cut *)stream.cuts.data)[0].ns, 20);
    }
}

static void any_calls_make_a_nested_stream(void)
{
    for (unsigned round = 0; round < 200; round++) {
        call_count = 0;
        for (unsigned i = draw(100); i > 0; i--) {
            uint64_t start = draw(50);
            add(start, start + draw(20), (int32_t)draw(3));
        }
        if (make())
            CHECK_INT(replay(), call_count);
    }
}

static void calls_out_of_order_are_sorted(void)
{
    call_count = 0;
    add(100, 200, 1);
    add(10, 20, 1); /* from a chunk that was taken later */
    add(5, 30, 1);
    if (make()) {
        CHECK_INT(cut_count(), 0);
        CHECK_INT(replay(), 3);
    }
}

static void messages_have_the_length_of_their_contents(void)
{
    struct dft_buffer out = {0};
    char text[300];
    size_t begin;

    memset(text, 'x', sizeof text);
    CHECK(dft_pb_begin(&out, 1, &begin) && dft_pb_append_text(&out, 2, text, sizeof text) &&
          dft_pb_end(&out, begin));
    CHECK_INT(out.used, 3 + 3 + sizeof text);
    CHECK(memcmp(out.data, "\x0a\xaf\x02\x12\xac\x02x", 7) == 0);
    out.used = 0;
    CHECK(dft_pb_append_text(&out, 1, "a\xff\xc3", 3));
    CHECK(out.used == 9 && memcmp(out.data,
                                  "\x0a\x07"
                                  "a\xef\xbf\xbd\xef\xbf\xbd",
                                  9) == 0);
    out.used = 0;
    CHECK(dft_pb_append_number(&out, 34, UINT64_MAX));
    CHECK(out.used == 12 &&
          memcmp(out.data, "\x90\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12) == 0);
    dft_buffer_release(&out);
}

static void the_checksum_is_that_of_zlib(void)
{
    static char bytes[100000];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)draw(256);
    for (unsigned round = 0; round < 200; round++) {
        size_t at = draw(1000), length = draw(round < 100 ? 40 : sizeof bytes - 1000);
        uint32_t sum = dft_adler32(DFT_ADLER32_BEGIN, bytes + at, length);
        CHECK_INT(sum, adler32(1, (const unsigned char *)bytes + at, (unsigned)length));
        CHECK_INT(dft_adler32(sum, bytes, 777), adler32(sum, (const unsigned char *)bytes, 777));
    }
    memset(bytes, 0xff, sizeof bytes);
    CHECK_INT(dft_adler32(1, bytes, sizeof bytes),
              adler32(1, (const unsigned char *)bytes, sizeof bytes));
}

int main(void)
{
    calls_that_nest_are_never_cut();
    ties_are_nested_like_in_json();
    threads_in_turns_have_streams_of_their_own();
    an_overlap_is_cut();
    any_calls_make_a_nested_stream();
    calls_out_of_order_are_sorted();
    messages_have_the_length_of_their_contents();
    the_checksum_is_that_of_zlib();
    dft_stream_release(&stream);
    return unit_result();
}
