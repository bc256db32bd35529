/*
 * Calls that are added up: by function and interval, in the tables of a batch and in traces of
 * spools made by hand; what is never added up; calls that were only counted; and a trace that one
 * writer has begun and another one completes.
 */
#include "made_spool.h"
#include "made_trace.h"
#include "writer/aggregate.h"
#include "writer/nesting.h"

#include <sys/wait.h>
#include <unistd.h>

static struct dft_spool spool;
static char directory[] = "/tmp/dftrace-test-aggregate-XXXXXX";
static char trace[1 << 20];

static struct dft_thread *new_spool(void)
{
    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->pid = spool.header->host_pid = 42;
    return make_thread(&spool, 43);
}

static void finish(uint64_t ended)
{
    finish_trace(&spool, open_writer(&spool), ended, trace, sizeof trace);
}

static void tables_hold_what_is_added(void)
{
    struct dft_aggregation by_interval = {.interval_ns = 1000};
    struct dft_aggregates all = {0};

    for (int round = 0; round < 2; round++) {
        /* More entries than the first table has room for, each met twice, with others between. */
        for (unsigned call = 0; call < 2; call++)
            for (unsigned interval = 0; interval < 50; interval++)
                for (uint32_t site = 1; site <= 40; site++) {
                    uint64_t start = interval * 1000 + 10 * call;
                    struct dft_added_call added = {.site = site,
                                                   .start_ns = start,
                                                   .duration_ns = site * (call + 1),
                                                   .self_ns = call ? -5 : 1};
                    CHECK(dft_aggregates_add(&all, &by_interval, &added));
                }
        CHECK_INT(all.calls, 2 * 50 * 40);
        CHECK_INT(dft_aggregates_count(&all), 50 * 40);
        for (size_t i = 0; i < dft_aggregates_count(&all); i++) {
            const struct dft_aggregate *entry = &dft_aggregates_entries(&all)[i];
            CHECK_INT(entry->count, 2);
            CHECK_INT(entry->sum_ns, 3 * entry->site);
            CHECK_INT(entry->self_ns, -4);
            CHECK_INT(entry->min_ns, entry->site);
            CHECK_INT(entry->max_ns, 2 * entry->site);
            CHECK_INT(entry->first_ns, entry->interval * 1000);
        }
        dft_aggregates_clear(&all);
        CHECK_INT(all.calls, 0);
        CHECK_INT(dft_aggregates_count(&all), 0);
    }
    dft_aggregates_release(&all);
}

static void without_intervals_there_is_one(void)
{
    struct dft_aggregation whole = {0};
    struct dft_aggregates all = {0};

    CHECK(dft_aggregates_add(&all, &whole,
                             &(struct dft_added_call){.site = 1, .start_ns = 900000000000}));
    CHECK(dft_aggregates_add(&all, &whole, &(struct dft_added_call){.site = 1, .start_ns = 5}));
    CHECK_INT(dft_aggregates_count(&all), 1);
    CHECK_INT(dft_aggregates_entries(&all)->first_ns, 5);
    dft_aggregates_release(&all);
}

/* The limit itself is long enough. */
static void short_calls_are_added_up(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f");

    spool.header->settings.min_duration_ns = 1000;
    make_chunk(&spool, thread);
    make_call(thread, f, 2000, 999);
    make_call(thread, f, 4000, 1000);
    make_call(thread, f, 6000, 3);
    make_open_call(thread, f, 8000);
    finish(8001);
    CHECK_INT(count_parts(trace, "\"name\":\"f\",\"cat\":\"\",\"ph\":\"X\""), 2);
    CHECK_CONTAINS(trace, "\"dur\":1.000,\"ts\":4.000}");
    CHECK_CONTAINS(trace, "\"unfinished\":true},\"tid\":43,\"dur\":0.001,\"ts\":8.000}");
    CHECK_CONTAINS(trace,
                   "{\"name\":\"calls of f\",\"cat\":\"\",\"ph\":\"C\",\"pid\":42,\"tid\":42,"
                   "\"file\":\"a.c\",\"line\":7,\"ts\":2.000,\"args\":{\"count\":2,"
                   "\"total_us\":1.002,\"min_us\":0.003,\"max_us\":0.999,\"self_us\":1.002}}\n");
    CHECK_CONTAINS(trace, "\"args\":{\"num_events\":2,\"aggregated\":2,\"dropped\":0}}\n]");
}

static void sites_are_added_up_by_their_style(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g \"quoted\"");

    CHECK_INT(dft_spool_site_style(&spool, g), 0);
    dft_spool_style_site(&spool, g, DFT_STYLE_AGGREGATED, true);
    CHECK_INT(dft_spool_site_style(&spool, f), 0);
    spool.header->settings.counter_interval_ms = 1;
    make_chunk(&spool, thread);
    make_call(thread, f, 2000, 5);
    make_call(thread, g, 2000, 10);
    make_call(thread, g, 999999, 1000000); /* by its start */
    make_call(thread, g, 2000000, 10);
    finish(9000000);
    CHECK_INT(count_parts(trace, "\"name\":\"f\",\"cat\":\"\",\"ph\":\"X\""), 1);
    CHECK_INT(count_parts(trace, "\"name\":\"calls of g \\\"quoted\\\"\""), 2);
    CHECK_CONTAINS(trace, "\"ts\":2.000,\"args\":{\"count\":2,\"total_us\":1000.010,");
    CHECK_CONTAINS(trace, "\"ts\":2000.000,\"args\":{\"count\":1,\"total_us\":0.010,");
    CHECK_CONTAINS(trace, "\"num_events\":1,\"aggregated\":3,");
}

/* By hand: main 10..90 us has f 20..60, which has g 25..35 and g 40..50; main itself calls
 * g 70..75. */
static void callers_do_not_have_the_time_of_what_they_call(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g"), m = make_site(&spool, "main");

    dft_spool_style_site(&spool, f, DFT_STYLE_AGGREGATED, true);
    make_chunk(&spool, thread);
    make_call(thread, g, 25000, 10000);
    make_call(thread, g, 40000, 10000);
    make_call(thread, f, 20000, 40000);
    make_call(thread, g, 70000, 5000);
    make_call(thread, m, 10000, 80000);
    finish(100000);
    CHECK_CONTAINS(trace,
                   "\"total_us\":40.000,\"min_us\":40.000,\"max_us\":40.000,\"self_us\":20.000}}");
    /* What f took itself is in no event; the reader knows of the rest. */
    CHECK_CONTAINS(trace, "\"line\":7,\"aggregated_us\":20.000},\"tid\":43,\"dur\":80.000,");
    CHECK_INT(count_parts(trace, "aggregated_us"), 1);

    thread = new_spool();
    f = make_site(&spool, "f"), g = make_site(&spool, "g"), m = make_site(&spool, "main");
    dft_spool_style_site(&spool, g, DFT_STYLE_AGGREGATED, true);
    spool.header->settings.metadata = 0;
    make_chunk(&spool, thread);
    make_call(thread, g, 25000, 10000);
    make_call(thread, g, 40000, 10000);
    make_call(thread, f, 20000, 40000);
    make_call(thread, g, 70000, 5000);
    make_open_call(thread, m, 10000);
    finish(100000);
    CHECK_CONTAINS(
        trace,
        "\"count\":3,\"total_us\":25.000,\"min_us\":5.000,\"max_us\":10.000,\"self_us\":25.000}}");
    CHECK_CONTAINS(trace, ",\"args\":{\"aggregated_us\":20.000},\"tid\":43,\"dur\":40.000,");
    CHECK_CONTAINS(
        trace,
        ",\"args\":{\"unfinished\":true,\"aggregated_us\":5.000},\"tid\":43,\"dur\":90.000,");
}

/* The wait is in no call's time, and makes none too long to be added up. */
static void waits_are_in_no_sum(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g");

    dft_spool_add_own_sites(&spool);
    spool.header->settings.min_duration_ns = 1000;
    make_chunk(&spool, thread);
    make_call(thread, g, 20100, 100);
    make_call(thread, spool.header->own_sites[DFT_OWN_WAIT], 20300, 50000);
    make_call(thread, spool.header->own_sites[DFT_OWN_WORK], 20200, 50200);
    make_call(thread, g, 70500, 200);
    make_call(thread, f, 20000, 51000);
    finish(100000);
    CHECK_CONTAINS(trace, "calls of g");
    CHECK_CONTAINS(trace,
                   "\"total_us\":0.300,\"min_us\":0.100,\"max_us\":0.200,\"self_us\":0.300}}");
    CHECK_CONTAINS(trace, "calls of f");
    CHECK_CONTAINS(trace,
                   "\"total_us\":0.800,\"min_us\":0.800,\"max_us\":0.800,\"self_us\":0.500}}");
    CHECK_CONTAINS(trace, "\"num_events\":0,\"aggregated\":3,");
}

/* Of what stands for others, they are taken away as well, by an estimate. */
static void throttled_calls_inside_are_estimated(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g"), m = make_site(&spool, "main");
    struct dft_throttled throttled = {.site = g, .since = 5000};
    /* 65015 of 65536 calls are not timed, 521 are. */
    CHECK(dft_spool_throttle_site(&spool, &throttled) != DFT_NOT_THROTTLED);

    dft_spool_style_site(&spool, f, DFT_STYLE_AGGREGATED, true);
    make_chunk(&spool, thread);
    make_call(thread, g, 25000, 521);
    make_call(thread, f, 20000, 100000);
    make_call(thread, g, 160000, 521);
    make_call(thread, m, 10000, 300000);
    finish(400000);
    CHECK_CONTAINS(trace,
                   "\"max_us\":100.000,\"estimated_self_us\":34.464}}"); /* 100 - 0.521 - 65.015 */
    CHECK_CONTAINS(trace, "\"max_us\":0.521,\"self_us\":1.042}}");
    /* f's 100 us, of which g has its share, and the second g with those that it stands for. */
    CHECK_CONTAINS(trace, "\"estimated_us\":165.536}");
}

/* What measuring adds to a timed call is not part of the untimed ones. */
static void estimates_leave_out_the_time_of_measuring(void)
{
    static const struct {
        uint32_t empty_call_ns;
        const char *self, *total;
    } cases[] = {
        /* 500 of g's 521 ns are its own: f has 100 - 0.521 - 62.394 us, 10 calls 5 us. */
        {21, "\"estimated_self_us\":37.085}}", "{\"count\":10,\"estimated_us\":5.000}}"},
        /* No estimate is below 0. */
        {600, "\"estimated_self_us\":99.478}}", "{\"count\":10,\"estimated_us\":0.000}}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dft_thread *thread = new_spool();
        uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g");
        struct dft_throttled throttled = {.site = g, .since = 5000};
        CHECK_INT(dft_spool_throttle_site(&spool, &throttled), 0);
        spool.header->empty_call_ns = cases[i].empty_call_ns;
        thread->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, thread));
        thread->counts[0] = DFT_COUNT_ONE(DFT_COUNT_STEP(0)) * 10;
        dft_spool_style_site(&spool, f, DFT_STYLE_AGGREGATED, true);
        make_chunk(&spool, thread);
        make_call(thread, g, 25000, 521);
        make_call(thread, f, 20000, 100000);
        finish(400000);
        CHECK_CONTAINS(trace, cases[i].self);
        CHECK_CONTAINS(trace, cases[i].total);
    }
}

/* Counts a call; true for those that are to be timed. */
static bool count_call(struct dft_thread *thread, uint32_t index)
{
    uint64_t before = thread->counts[index];

    thread->counts[index] += DFT_COUNT_ONE(DFT_COUNT_STEP(index));
    return thread->counts[index] < before;
}

/* A record for a call; a new chunk names the calls that are open, by their starts. */
static void record_call(struct dft_thread *thread, uint32_t site, uint64_t start, uint32_t length,
                        const uint64_t *open, uint32_t count)
{
    if (thread->next == thread->end) {
        make_chunk(&spool, thread);
        *thread->next++ = (struct dft_record){.site = DFT_RECORD_MAKE(DFT_RECORD_OPEN, count)};
        for (uint32_t i = 0; i < count; i++)
            *thread->next++ = (struct dft_record){.start = open[i]};
    }
    make_call(thread, site, start, length);
}

/* Both are only counted, but for a few: what they took themselves is known all the same. */
static void throttled_callers_have_throttled_calls_inside(void)
{
    enum { CALLS = 30000, INNER = 20, INNER_NS = 20, OWN_NS = 600, TOTAL_NS = 1000, MAIN = 10000 };
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g"), m = make_site(&spool, "main");
    struct dft_throttled outer = {.site = f, .since = 5000}, inner = {.site = g, .since = 5000};
    uint64_t at = 20000, timed = 0;

    CHECK_INT(dft_spool_throttle_site(&spool, &outer), 0);
    CHECK_INT(dft_spool_throttle_site(&spool, &inner), 1);
    thread->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, thread));
    make_chunk(&spool, thread);
    for (int call = 0; call < CALLS; call++, at += TOTAL_NS) {
        bool is_timed = count_call(thread, 0);
        uint64_t open[] = {MAIN, at};
        for (int i = 0; i < INNER; i++)
            if (count_call(thread, 1))
                record_call(thread, g, at + OWN_NS / 2 + INNER_NS * (uint64_t)i, INNER_NS, open,
                            is_timed ? 2 : 1);
        if (is_timed)
            record_call(thread, f, at, TOTAL_NS, open, 1);
        timed += is_timed;
    }
    record_call(thread, m, MAIN, (uint32_t)(at - MAIN), NULL, 0);
    finish(at);
    double self = strtod(strstr(trace, "\"estimated_self_us\":") + 20, NULL) * 1000 / (double)timed;
    CHECK(self > OWN_NS * 0.9 && self < OWN_NS * 1.1);
    /* Of main's time they have all but the 10 us before the first. */
    double theirs = strtod(strstr(trace, "\"estimated_us\":") + 15, NULL) * 1000;
    CHECK(theirs > 0.95 * CALLS * TOTAL_NS && theirs < 1.05 * CALLS * TOTAL_NS);
}

/* What a thread says of its open calls at a chunk's begin changes nothing but the writer's memory.
 */
static void open_calls_keep_what_is_theirs(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f"), m = make_site(&spool, "main");
    uint64_t at = 20000;

    spool.header->settings.aggregate_all = 1;
    make_chunk(&spool, thread);
    make_call(thread, f, 5000, 1000); /* before main */
    for (int chunk = 0; chunk < 5; chunk++) {
        if (chunk > 0) {
            make_chunk(&spool, thread);
            *thread->next++ = (struct dft_record){.site = DFT_RECORD_MAKE(DFT_RECORD_OPEN, 1)};
            *thread->next++ = (struct dft_record){.start = 10000};
        }
        while (thread->next < thread->end - 1) {
            make_call(thread, f, at, 7);
            at += 10;
        }
    }
    make_call(thread, m, 10000, (uint32_t)(at - 10000));
    finish(at);
    uint64_t calls = (at - 20000) / 10, self = at - 10000 - 7 * calls;
    char expected[64];
    snprintf(expected, sizeof expected, "\"self_us\":%llu.%03llu}}",
             (unsigned long long)self / 1000, (unsigned long long)self % 1000);
    CHECK_CONTAINS(trace, expected);
}

static void nests_are_merged_below_open_calls(void)
{
    struct dft_nest nest = {0};
    struct dft_nest_entry inside;
    uint64_t starts[] = {100, 150, 200};

    for (uint64_t at = 0; at < 300; at += 10) {
        CHECK(dft_nest_reserve(&nest, 1));
        dft_nest_end(&nest, at, at + 5, &inside);
        CHECK_INT(inside.length, 0);
    }
    dft_nest_merge(&nest, starts, 3);
    CHECK_INT(nest.list.used / sizeof inside, 3);
    /* Something that began when the call had ended: it stays, behind it. */
    CHECK(dft_nest_reserve(&nest, 10));
    dft_nest_end(&nest, 400, 450, &inside);
    dft_nest_end(&nest, 200, 320, &inside);
    CHECK_INT(inside.length, 50);
    dft_nest_end(&nest, 100, 330, &inside);
    CHECK_INT(inside.length, 120 + 5 * 5 + 5 * 5);
    CHECK_INT(nest.list.used / sizeof inside, 2);
    /* Without a word about open calls, there is a limit all the same. */
    for (uint64_t at = 1000; at < 1000 + 10 * 200000; at += 10) {
        dft_nest_reserve(&nest, 1);
        dft_nest_end(&nest, at, at + 5, &inside);
    }
    CHECK(nest.list.used / sizeof inside <= 65536);
    dft_nest_end(&nest, 0, UINT64_MAX, &inside);
    CHECK_INT(inside.length, 230 + 50 + 5 * 200000);
    dft_buffer_release(&nest.list);
}

static void calls_with_more_to_tell_stay_single(void)
{
    struct dft_thread *thread = new_spool();
    struct dft_sample sample = {.cpu_ns = 4, .rss_kb = 1};
    struct dft_attachments attachments = {.used = 0};

    spool.header->settings.aggregate_all = 1;
    make_chunk(&spool, thread);
    dft_attachments_add(&attachments, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
    dft_attachments_record(thread->next, &attachments, make_site(&spool, "sampled"), 2100, 5);
    thread->next += dft_attachments_units(&attachments);
    make_call(thread, make_site(&spool, "f"), 3000, 5);
    finish(9000);
    CHECK_CONTAINS(trace, "{\"name\":\"sampled\",\"cat\":\"\",\"ph\":\"X\"");
    CHECK_CONTAINS(trace, "\"name\":\"calls of f\"");
    CHECK_CONTAINS(trace, "\"num_events\":1,\"aggregated\":1,");
}

/* A trace in which no call has an event of its own is one all the same. */
static void all_may_be_added_up(void)
{
    struct dft_thread *thread = new_spool();

    spool.header->settings.aggregate_all = 1;
    spool.header->settings.metadata = 0;
    make_chunk(&spool, thread);
    make_call(thread, make_site(&spool, "f"), 3000, 5);
    thread->omitted = 3;
    finish(9000);
    CHECK_CONTAINS(trace, "\"tid\":42,\"ts\":3.000,\"args\":{\"count\":1,");
    CHECK_CONTAINS(trace, "\"num_events\":0,\"aggregated\":1,\"left_out\":3,\"dropped\":0}");
}

/* Of 126 calls about one has a record. Slots that are used again go on counting. */
static void throttled_calls_are_reported_at_the_end(void)
{
    struct dft_thread *thread = new_spool(), *second = make_thread(&spool, 44);
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g");
    struct dft_throttled throttled = {
        .site = f, .since = 5000, .calls = 100, .ticks = 300, .window_ns = 7000};

    spool.header->call_cost_ns = 10;
    CHECK_INT(dft_spool_throttle_site(&spool, &throttled), 0);
    CHECK_INT(dft_spool_throttle_site(&spool, &throttled), 0); /* it is there */
    CHECK_INT(dft_spool_find_throttled(&spool, g), DFT_NOT_THROTTLED);
    thread->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, thread));
    second->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, second));
    for (int i = 0; i < 1000; i++)
        thread->counts[0] += DFT_COUNT_ONE(DFT_COUNT_STEP(0));
    second->counts[0] = DFT_COUNT_ONE(DFT_COUNT_STEP(0)) * 7;
    CHECK_INT(DFT_COUNT_CALLS(thread->counts[0]), 1000);
    make_chunk(&spool, thread);
    make_call(thread, f, 4999, 2000); /* it began before */
    for (int i = 0; i < 3; i++)
        make_call(thread, f, 7000 + 100 * (uint64_t)i, 20);
    make_chunk(&spool, second);
    make_call(second, g, 6000, 5);
    finish(9000);
    CHECK_CONTAINS(trace, "{\"name\":\"counted\",\"cat\":\"dftrace\",\"ph\":\"i\",\"s\":\"p\","
                          "\"pid\":42,\"tid\":42,\"ts\":5.000,\"args\":{\"function\":\"f\","
                          "\"category\":\"\",\"file\":\"a.c\",\"line\":7,\"calls\":100,"
                          "\"calls_us\":0.300,\"cost_us\":1.000,\"cpu_us\":7.000}}\n");
    CHECK_CONTAINS(trace, "\"dur\":2.000,\"ts\":4.999}");
    CHECK_CONTAINS(trace, "\"args\":{\"count\":3,\"total_us\":0.060,");
    CHECK_CONTAINS(trace, "\"ts\":9.000,\"args\":{\"count\":1000,\"estimated_us\":20.000}}");
    CHECK_CONTAINS(trace, "\"num_events\":2,\"aggregated\":1003,");
}

/* Whatever rhythm a program's calls have, those that are timed fall on every beat of it alike. */
static void timed_calls_keep_no_rhythm(void)
{
    static const unsigned periods[] = {2, 10, 100, 125, 126, 256, 512, 1000};
    static uint64_t beats[1000];

    for (size_t i = 0; i < 8 * sizeof periods / sizeof *periods; i++) {
        unsigned period = periods[i / 8], step = DFT_COUNT_STEP(i % 8 * 9);
        uint64_t one = DFT_COUNT_ONE(step);
        uint64_t count = 0, timed = 0, least = UINT64_MAX, most = 0;
        memset(beats, 0, sizeof beats);
        for (uint64_t call = 0; call < 4000000; call++, count += one)
            if (count > UINT64_MAX - one) {
                beats[call % period]++;
                timed++;
            }
        for (unsigned beat = 0; beat < period; beat++) {
            least = beats[beat] < least ? beats[beat] : least;
            most = beats[beat] > most ? beats[beat] : most;
        }
        CHECK_INT(DFT_COUNT_CALLS(count), 4000000);
        CHECK_INT(DFT_COUNT_TIMED(count, step), timed);
        CHECK(most <= 2 * least + 2);
    }
}

/* Then the calls before tell what these took. */
static void throttled_calls_may_have_none_that_is_timed(void)
{
    struct dft_thread *thread = new_spool();
    struct dft_throttled throttled = {
        .site = make_site(&spool, "f"), .since = 5000, .calls = 100, .ticks = 300};

    CHECK_INT(dft_spool_throttle_site(&spool, &throttled), 0);
    thread->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, thread));
    thread->counts[0] = DFT_COUNT_ONE(DFT_COUNT_STEP(0)) * 100;
    finish(9000);
    CHECK_CONTAINS(trace, "\"ts\":9.000,\"args\":{\"count\":100,\"estimated_us\":0.300}}");
}

/* What a forked child takes over from its parent has the numbers that its memory knows. */
static void a_copy_counts_from_zero(void)
{
    struct dft_spool copy;
    struct dft_thread *thread = new_spool();
    struct dft_throttled first = {.site = make_site(&spool, "f"), .since = 5000};
    struct dft_throttled second = {.site = make_site(&spool, "g"), .since = 6000, .timed = 9};

    dft_spool_throttle_site(&spool, &second);
    dft_spool_throttle_site(&spool, &first);
    thread->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, thread));
    thread->counts[0] = DFT_COUNT_ONE(DFT_COUNT_STEP(0));
    CHECK_INT(make_spool(&copy, directory), 0);
    CHECK_INT(dft_spool_copy_sites(&copy, &spool), 0);
    CHECK_INT(dft_spool_copy_throttled(&copy, &spool), 0);
    CHECK_INT(dft_spool_find_throttled(&copy, second.site), 0);
    CHECK_INT(dft_spool_find_throttled(&copy, first.site), 1);
    CHECK_INT(dft_spool_throttled(&copy, 0)->since, 0);
    CHECK_INT(dft_spool_throttled(&copy, 0)->timed, 0);
    CHECK_INT(dft_spool_untimed_calls(&copy, 0), 0);
    CHECK_INT(dft_spool_site_style(&copy, first.site), DFT_STYLE_THROTTLED_AS(1));
    dft_spool_unlink(&copy);
    dft_spool_unmap(&copy);
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
}

/* The first writer commits some batches and is gone; what the second adds is only the rest. */
static void another_writer_adds_the_rest(void)
{
    struct dft_thread *thread = new_spool();
    uint32_t f = make_site(&spool, "f");
    struct dft_throttled throttled = {.site = make_site(&spool, "g"), .since = 1500};
    unsigned calls = 0, seen = 0;

    spool.header->settings.aggregate_all = 1;
    spool.header->settings.member_size = 1;
    dft_spool_throttle_site(&spool, &throttled);
    thread->counts = dft_spool_reserve_counts(&spool, dft_spool_slot(&spool, thread));
    thread->counts[0] = DFT_COUNT_ONE(DFT_COUNT_STEP(0)) * 5;
    for (unsigned chunk = 0; chunk < 4; chunk++) {
        make_chunk(&spool, thread);
        for (unsigned i = 0; i < 10; i++)
            make_call(thread, f, 2000 + 10 * calls++, 5);
    }
    pid_t child = fork();
    if (child == 0) {
        int error;
        char path[1500];
        struct dft_writer *writer = dft_writer_open(&spool, &error, path, sizeof path);
        if (writer)
            dft_writer_step(writer);
        if (writer)
            dft_writer_flush(writer);
        _exit(writer ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK_INT(spool.header->committed[atomic_load(&spool.header->commit) & 1].totals.aggregated,
              30);
    spool.gone = true;
    finish(9000);
    for (const char *at = trace; (at = strstr(at, "\"name\":\"calls of f\"")); at++)
        seen += (unsigned)strtoul(strstr(at, "\"count\":") + strlen("\"count\":"), NULL, 10);
    CHECK_INT(seen, calls);
    CHECK_INT(count_parts(trace, "\"name\":\"counted\""), 1);
    CHECK_CONTAINS(trace, "\"args\":{\"count\":5,\"estimated_us\":0.000}");
    CHECK_CONTAINS(trace, "\"num_events\":0,\"aggregated\":45,");
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    tables_hold_what_is_added();
    without_intervals_there_is_one();
    short_calls_are_added_up();
    sites_are_added_up_by_their_style();
    callers_do_not_have_the_time_of_what_they_call();
    waits_are_in_no_sum();
    throttled_calls_inside_are_estimated();
    estimates_leave_out_the_time_of_measuring();
    throttled_callers_have_throttled_calls_inside();
    open_calls_keep_what_is_theirs();
    nests_are_merged_below_open_calls();
    calls_with_more_to_tell_stay_single();
    all_may_be_added_up();
    throttled_calls_are_reported_at_the_end();
    timed_calls_keep_no_rhythm();
    throttled_calls_may_have_none_that_is_timed();
    a_copy_counts_from_zero();
    another_writer_adds_the_rest();
    CHECK_INT(rmdir(directory), 0); /* nothing was left behind */
    return unit_result();
}
