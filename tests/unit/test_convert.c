/*
 * What conversions are made from: sorting with bounded memory, the nesting of calls, the order in
 * which calls ended, pairs of begin and end events.
 */
#include "tool/convert/call_order.h"
#include "tool/convert/nest.h"
#include "tool/convert/sorter.h"
#include "tool/trace/pairs.h"
#include "unit.h"

/* --- sorting --- */

struct record {
    uint32_t key;
    uint32_t number;
    char filler[16];
};

static int compare(const void *left, const void *right)
{
    const struct record *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts with memory for a few records only: many parts are merged. */
static void check_sorting(uint32_t count, size_t memory)
{
    struct dft_sorter *sorter = dft_sorter_new(sizeof(struct record), memory, compare);
    const struct record *next;
    struct record last = {0};
    uint32_t found = 0;
    uint64_t sum = 0;

    srand(count);
    for (uint32_t i = 0; i < count; i++) {
        struct record record = {.key = (uint32_t)rand() % 1000, .number = i};

        sum += record.key;
        CHECK(dft_sorter_add(sorter, &record));
    }
    CHECK(dft_sorter_finish(sorter));
    while ((next = dft_sorter_next(sorter))) {
        CHECK(found == 0 || compare(&last, next) < 0);
        last = *next;
        sum -= next->key;
        found++;
    }
    CHECK(!dft_sorter_has_failed(sorter));
    CHECK_INT(found, count);
    CHECK_INT((intmax_t)sum, 0);
    dft_sorter_free(sorter);
}

static void test_sorting(void)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 1000, 1024, 1025, 20000};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_sorting(counts[i], (size_t)1 << 20);
        check_sorting(counts[i], 700 * sizeof(struct record));
        check_sorting(counts[i], 0);
    }
}

/* --- nesting --- */

struct story {
    char text[256];
    size_t used;
};

static void tell(struct story *story, char what, uint32_t name)
{
    story->used += (size_t)snprintf(story->text + story->used, sizeof story->text - story->used,
                                    "%c%u ", what, name);
}

static void tell_open(void *context, struct dft_nest_call *calls, size_t depth)
{
    tell(context, '+', calls[depth - 1].record.name);
}

static void tell_close(void *context, struct dft_nest_call *calls, size_t depth)
{
    tell(context, '-', calls[depth - 1].record.name);
}

static void tell_point(void *context, struct dft_nest_call *calls, size_t depth,
                       const struct dft_nest_record *point)
{
    (void)calls, (void)depth;
    tell(context, '.', point->name);
}

static void tell_row(void *context, uint64_t row)
{
    (void)row;
    tell(context, '|', 0);
}

static void check_nesting(const struct dft_nest_record *records, size_t count, bool from_pair,
                          bool cut, const char *expected, uint64_t overlapping)
{
    struct dft_nest *nest = dft_nest_new();
    struct story story = {.used = 0};
    const struct dft_nest_visitor visitor = {.context = &story,
                                             .cut = cut,
                                             .open = tell_open,
                                             .close = tell_close,
                                             .point = tell_point,
                                             .begin_row = tell_row,
                                             .end_row = tell_row};
    bool is_complete = false;

    for (size_t i = 0; i < count; i++)
        dft_nest_add(nest, records[i], from_pair);
    CHECK_INT((intmax_t)dft_nest_walk(nest, &visitor, &is_complete), (intmax_t)overlapping);
    CHECK(is_complete);
    CHECK_TEXT(story.text, expected);
    dft_nest_free(nest);
}

static void test_nesting(void)
{
    static const struct dft_nest_record trees[] = {
        {.row = 2, .start = 0, .end = 9, .name = 1},
        {.row = 1, .start = 5, .end = 8, .name = 2},
        {.row = 1, .start = 8, .end = 8, .name = 3},
        {.row = 1, .start = 8, .end = 8, .name = 9, .is_point = true},
        {.row = 1, .start = 0, .end = 10, .name = 4},
        {.row = 1, .start = 10, .end = 12, .name = 5},
        {.row = 1, .start = 30, .end = 30, .name = 8, .is_point = true},
    };
    static const struct dft_nest_record ties[] = {{.start = 0, .end = 5, .name = 1},
                                                  {.start = 0, .end = 5, .name = 2}};
    static const struct dft_nest_record overlapping[] = {{.start = 0, .end = 5, .name = 1},
                                                         {.start = 3, .end = 8, .name = 2},
                                                         {.start = 6, .end = 7, .name = 3}};

    check_nesting(trees, 7, false, true, "|0 +4 +2 -2 +3 .9 -3 -4 +5 -5 .8 |0 |0 +1 -1 |0 ", 0);
    check_nesting(ties, 2, false, true, "|0 +1 +2 -2 -1 |0 ", 0);
    check_nesting(ties, 2, true, true, "|0 +2 +1 -1 -2 |0 ", 0);
    check_nesting(overlapping, 3, false, true, "|0 +1 +2 -2 -1 +3 -3 |0 ", 1);
    check_nesting(overlapping, 3, false, false, "|0 +1 +2 +3 -3 -2 -1 |0 ", 1);
}

/* --- the order of calls --- */

static void tell_call(void *context, const struct dft_encoding_event *event)
{
    tell(context, ' ', event->site);
}

static void check_order(const struct dft_encoding_event *events, size_t count, const char *expected)
{
    struct story story = {.used = 0};
    struct dft_call_order order = {.context = &story, .take = tell_call};

    for (size_t i = 0; i < count; i++)
        dft_call_order_add(&order, &events[i]);
    dft_call_order_finish(&order);
    CHECK_TEXT(story.text, expected);
    dft_call_order_free(&order);
}

static void test_order(void)
{
    static const struct dft_encoding_event callers_first[] = {
        {.start_ns = 0, .end_ns = 10, .site = 1},
        {.start_ns = 0, .end_ns = 4, .site = 2},
        {.start_ns = 5, .end_ns = 10, .site = 3},
        {.start_ns = 10, .end_ns = 12, .site = 4},
    };
    static const struct dft_encoding_event callees_first[] = {
        {.start_ns = 0, .end_ns = 4, .site = 2},
        {.start_ns = 5, .end_ns = 10, .site = 3},
        {.start_ns = 0, .end_ns = 10, .site = 1},
        {.start_ns = 10, .end_ns = 12, .site = 4},
    };
    static const struct dft_encoding_event ties[] = {
        {.start_ns = 0, .end_ns = 4, .site = 1},
        {.start_ns = 0, .end_ns = 4, .site = 2},
    };
    static const struct dft_encoding_event pairs[] = {
        {.start_ns = 0, .end_ns = 4, .site = 1, .from_pair = true},
        {.start_ns = 0, .end_ns = 4, .site = 2, .from_pair = true},
    };
    static const struct dft_encoding_event threads[] = {
        {.start_ns = 0, .end_ns = 9, .site = 1, .tid = 1},
        {.start_ns = 1, .end_ns = 2, .site = 2, .tid = 2},
        {.start_ns = 3, .end_ns = 4, .site = 3, .tid = 1},
    };

    check_order(callers_first, 4, " 2  3  1  4 ");
    check_order(callees_first, 4, " 2  3  1  4 ");
    check_order(ties, 2, " 2  1 ");
    check_order(pairs, 2, " 1  2 ");
    check_order(threads, 3, " 3  1  2 ");
}

/* --- pairs --- */

static struct dft_event half(char ph, const char *name, int64_t ns, const struct dft_arg *args,
                             size_t arg_count)
{
    return (struct dft_event){.kind = DFT_TRACE_PAIR,
                              .ph = ph,
                              .has_ts = true,
                              .name = dft_text(name),
                              .cat = dft_text(""),
                              .file = dft_text(""),
                              .id = dft_text(""),
                              .pid = 1,
                              .tid = 2,
                              .ts_ns = ns,
                              .args = args,
                              .arg_count = arg_count};
}

static void test_pairs(void)
{
    struct dft_pairs pairs = {.bytes = 0};
    char key[] = "key";
    struct dft_arg first = {dft_text(key), dft_text("1")}, second = {dft_text("b"), dft_text("2")};
    struct dft_event outer = half('B', "outer", 10, &first, 1),
                     inner = half('B', "inner", 20, NULL, 0);
    struct dft_event event = half('E', "", 30, &second, 1);

    CHECK(dft_pairs_begin(&pairs, &outer));
    CHECK(dft_pairs_begin(&pairs, &inner));
    key[0] = '?'; /* it was copied */
    CHECK(dft_pairs_end(&pairs, &event));
    CHECK(dft_text_is(event.name, "inner") && event.ph == 'X' && event.kind == DFT_TRACE_CALL);
    CHECK_INT(event.ts_ns, 20);
    CHECK_INT(event.dur_ns, 10);
    CHECK_INT((intmax_t)event.arg_count, 1);
    event = half('E', "", 5, &second, 1); /* before its begin */
    CHECK(dft_pairs_end(&pairs, &event));
    CHECK(dft_text_is(event.name, "outer"));
    CHECK_INT(event.dur_ns, 0);
    CHECK_INT((intmax_t)event.arg_count, 2);
    CHECK(dft_text_is(event.args[0].key, "key") && dft_text_is(event.args[1].key, "b"));
    event = half('E', "lonely", 50, NULL, 0);
    CHECK(dft_pairs_end(&pairs, &event));
    CHECK(event.kind == DFT_TRACE_PAIR && dft_text_is(event.name, "lonely"));

    CHECK(dft_pairs_begin(&pairs, &inner));
    CHECK(dft_pairs_take_open(&pairs, &event));
    CHECK_INT(event.dur_ns, 30);
    CHECK(dft_event_arg_true(&event, "unfinished"));
    CHECK(!dft_pairs_take_open(&pairs, &event));
    CHECK(dft_pairs_begin(&pairs, &outer)); /* freed with the rest */
    dft_pairs_free(&pairs);
}

int main(void)
{
    test_sorting();
    test_nesting();
    test_order();
    test_pairs();
    return unit_result();
}
