/*
 * Whole traces, byte for byte: a spool in which every kind of event occurs, with a fixed clock, is
 * written in each format and compared with the expected trace in tests/unit/expected.
 *
 *   unit-trace-bytes              compares
 *   unit-trace-bytes --record     writes the expected traces; look at the difference
 *   unit-trace-bytes --write DIRECTORY    writes the same traces, in every format, as files for
 *                                         other readers
 */
#include "made_events.h"
#include "made_trace.h"

#include <unistd.h>

#define VERSION_MARK "@VERSION@"

static char directory[] = "/tmp/dftrace-test-bytes-XXXXXX";
static char trace[4 << 20], expected[4 << 20];
static bool is_recording;
static uint64_t long_call_ns = 5000000000; /* overlaps other calls, so readers disagree about it */

/* Escapes, control characters, valid and invalid UTF-8. */
static const char *const names[] = {"main", "solver::step<int>", "say \"hi\"\\ \x01\n\x7f",
                                    "\xc3\xa9\xf0\x9f\x98\x80 \xff\xc3"};

static uint32_t describe(struct dft_spool *spool, uint32_t module, const char *name,
                         const char *values)
{
    char text[512] = {0}, *at = text;
    const char *parts[] = {name,   "_Z4link", "dir/a \"b\".cc", "a,b",  "FUNC\t",
                           values, "(int)",   "3:fun:solver*",  "i,j;k"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        at = stpcpy(at, parts[i]) + 1;
    return dft_spool_intern_site_of(spool, module, text, 17, 0);
}

static void fill_header(struct dft_spool_header *header)
{
    header->pid = 42;
    header->ppid = 41;
    header->host_pid = 1;
    header->started = (struct dft_anchor){1000000, 1000000, 1700000000123456789u};
    header->rank = 3;
    header->rank_count = 8;
    header->sample_cost_ns = 250;
    header->call_cost_ns = 40;
    header->count_cost_ns = 4;
    snprintf(header->app, sizeof header->app, "app \"x\"");
    snprintf(header->host, sizeof header->host, "node7");
    snprintf(header->exe, sizeof header->exe, "/opt/app \\x");
    snprintf(header->directory_name, sizeof header->directory_name, "/data/\xff");
    snprintf(header->command, sizeof header->command, "./app -n 5");
    snprintf(header->cores, sizeof header->cores, "0-3");
    header->settings.budget = 2500;
    header->settings.counter_interval_ms = 100;
    header->settings.member_size = 512;
    header->settings.min_duration_ns = 3;
    header->at_begin = (struct dft_process_usage){.monotonic_ns = 1000000,
                                                  .user_us = 10,
                                                  .rss_kb = 100,
                                                  .peak_rss_kb = 110,
                                                  .threads = 1,
                                                  .has_switches = 1,
                                                  .has_io = 1};
    header->at_end = (struct dft_process_usage){.monotonic_ns = 900000000,
                                                .user_us = 400010,
                                                .system_us = 1234,
                                                .rss_kb = 200,
                                                .peak_rss_kb = 210,
                                                .threads = 2,
                                                .minor_faults = 5,
                                                .voluntary_switches = 6,
                                                .read_bytes = 7,
                                                .storage_write_bytes = 8,
                                                .has_switches = 1,
                                                .has_io = 1};
}

static void attach_call(struct dft_thread *thread, uint32_t site, uint64_t start, uint64_t duration,
                        const struct dft_attachments *all)
{
    dft_attachments_record(thread->next, all, site, start, duration);
    thread->next += dft_attachments_units(all);
}

static void make_detailed_calls(struct dft_thread *thread, uint32_t site, uint64_t start)
{
    static const char arguments[] = "\1\2hi\7\0\0\0";
    static const struct dft_sample sample = {.cpu_start_ns = 12345,
                                             .cpu_ns = 400,
                                             .rss_kb = 2048,
                                             .rss_delta_kb = -4,
                                             .peak_rss_kb = 4096,
                                             .minor_faults = 1,
                                             .involuntary_switches = 4};
    static const struct dft_heap_sample heap = {.bytes = 640, .count = 10};
    double result = 0.1;
    struct dft_attachments all = {.used = 0};

    dft_attachments_add(&all, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
    dft_attachments_add(&all, DFT_ATTACHMENT_HEAP, &heap, sizeof heap);
    attach_call(thread, site, start, 900, &all);
    dft_attachments_add(&all, DFT_ATTACHMENT_ARGUMENTS, arguments, sizeof arguments - 1);
    dft_attachments_add(&all, DFT_ATTACHMENT_RESULT, &result, sizeof result);
    attach_call(thread, site, start + 1000, long_call_ns, &all);
}

static void make_calls(struct dft_spool *spool, struct dft_thread *thread, const uint32_t *sites)
{
    uint64_t now = 2000000;

    for (unsigned chunk = 0; chunk < 3; chunk++) {
        make_chunk(spool, thread);
        for (unsigned i = 0; i < 30; i++, now += 30000000 + i) {
            uint32_t site = sites[i % 4];
            make_call(thread, sites[1], now + 1, i % 5);  /* some are aggregated */
            make_call(thread, sites[0], now + 10, 100);   /* a callee and a caller with */
            make_call(thread, site, now + 10, 100);       /* the same start and end */
            make_call(thread, site, now, 1000 + 997 * i); /* a caller of all of them */
        }
        make_detailed_calls(thread, sites[3], now);
        now += 10000;
    }
}

/* One whose name is in the site table, and one that brings its name along. */
static void make_instants(struct dft_spool *spool, struct dft_thread *thread)
{
    static const char name[64] = "step \"1\"\0\0\0\0APP", inlined[] = "\x01 \xff\\";
    struct dft_attachments all = {.used = 0};
    uint32_t site = dft_spool_intern_site(spool, name, 0, DFT_SITE_EVENT);

    dft_attachments_record_as(thread->next, DFT_RECORD_INSTANT, &all, site, 2950000, 0);
    thread->next += dft_attachments_units(&all);
    dft_attachments_add(&all, DFT_ATTACHMENT_NAME, inlined, sizeof inlined - 1);
    for (unsigned i = 0; i < 2; i++) { /* in the same microsecond: their order stays */
        dft_attachments_record_as(thread->next, DFT_RECORD_INSTANT, &all, i ? site : 0, 2960000 + i,
                                  0);
        thread->next += dft_attachments_units(&all);
    }
}

static void fill_calls(struct dft_spool *spool)
{
    static const char module_text[64] = "/lib/libm.so\0abcdef0123";
    uint32_t module = dft_spool_intern_site(spool, module_text, 0, DFT_SITE_MODULE);
    uint32_t sites[4];

    fill_header(spool->header);
    dft_spool_add_own_sites(spool);
    for (unsigned i = 0; i < 4; i++)
        sites[i] = describe(spool, i % 2 ? module : 0, names[i], i == 3 ? "a:t8;b:i4;=:f8;" : "");
    struct dft_thread *first = make_thread(spool, 42), *second = make_thread(spool, 43);
    make_calls(spool, first, sites);
    make_open_call(first, sites[0], 1500000);
    make_open_call(first, sites[1], 1600000);
    first->dropped = 3;
    make_chunk(spool, second);
    make_call(second, spool->header->own_sites[DFT_OWN_WAIT], 3000000, 700000);
    make_instants(spool, second);
    make_call(second, sites[2], 2900000, 900000);
    snprintf(second->name, sizeof second->name, "w\"%c", 2);
    second->omitted = 5;
    end_thread(spool, second, 8000000);
    struct dft_throttled throttled = {
        .site = sites[1], .since = 700000000, .calls = 40, .ticks = 2000, .window_ns = 900};
    dft_spool_throttle_site(spool, &throttled);
    first->counts = dft_spool_reserve_counts(spool, dft_spool_slot(spool, first));
    first->counts[0] = 300 * DFT_COUNT_ONE(DFT_COUNT_STEP(0));
}

/* The version changes with every release: a mark stands for it. */
static void hide_version(void)
{
    char *at = strstr(trace, "\"" DFTRACE_VERSION "\"");
    size_t length = strlen(DFTRACE_VERSION);

    if (!CHECK(at != NULL))
        return;
    memmove(at + strlen(VERSION_MARK) + 1, at + 1 + length, strlen(at + 1 + length) + 1);
    memcpy(at + 1, VERSION_MARK, strlen(VERSION_MARK));
}

static void compare(const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", EXPECTED_DIRECTORY, name);
    FILE *file = fopen(path, is_recording ? "w" : "r");
    if (!CHECK(file != NULL))
        return;
    if (is_recording) {
        fputs(trace, file);
    } else {
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
        size_t at = 0;
        while (trace[at] && trace[at] == expected[at])
            at++;
        if (!CHECK(trace[at] == expected[at]))
            printf("  %s differs at byte %zu: %.100s\n", name, at, trace + (at > 40 ? at - 40 : 0));
    }
    fclose(file);
}

static void fill_program_events(struct dft_spool *spool)
{
    spool->header->pid = 42;
    spool->header->ppid = 41;
    spool->header->started.realtime_ns = 1700000000123456789u;
    snprintf(spool->header->host, sizeof spool->header->host, "node7");
    fill_events(spool);
}

/*
 * Callers that begin in the same nanosecond as a callee, which is in a member before theirs: callers
 * of each other, in one member and in two; with attachments; and many callees in between.
 */
static void fill_ties(struct dft_spool *spool)
{
    struct dft_thread *thread = make_thread(spool, 42);
    uint32_t f = make_site(spool, "f"), g = make_site(spool, "g"), h = make_site(spool, "h");
    struct made_fields made;

    spool->header->pid = 42;
    spool->header->settings.member_size = 1; /* a member for each chunk */
    begin_fields(&made);
    put_number(&made, make_key(spool, "step"), DFT_FIELD_INT, 3);
    make_open_call(thread, h, 5000);
    make_chunk(spool, thread);
    make_call(thread, f, 5000, 10);
    for (unsigned i = 0; i < 4000; i++)
        make_call(thread, f, 6000 + 2 * i, 1);
    make_chunk(spool, thread);
    make_call(thread, f, 20000, 10);
    make_call(thread, g, 5000, 20000);          /* with f in the first chunk */
    make_region(thread, g, 5000, 20000, &made); /* with g */
    make_chunk(spool, thread);
    make_call(thread, h, 5000, 30000); /* with the region before */
}

/* More calls inside each other than Perfetto nests. */
static void fill_deep(struct dft_spool *spool)
{
    struct dft_thread *thread = make_thread(spool, 42);
    uint32_t f = make_site(spool, "f"), g = make_site(spool, "g");

    spool->header->pid = 42;
    make_chunk(spool, thread);
    for (unsigned depth = 1300; depth > 0; depth--)
        make_call(thread, depth % 2 ? f : g, 5000 + depth, 4000 - 2 * depth);
    make_call(thread, f, 20000, 1);
}

static void write_trace(const char *name, enum dft_trace_format format, bool metadata,
                        void (*fill)(struct dft_spool *spool))
{
    struct dft_spool spool;

    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->settings.format = (uint8_t)format;
    spool.header->settings.metadata = metadata;
    fill(&spool);
    spool.gone = true;
    finish_trace(&spool, open_writer(&spool), 910000000, trace, sizeof trace);
    hide_version();
    compare(name);
}

/* Leaves the file DIRECTORY/NAME-app-42 with the extension of its format. */
static void write_file(const char *to, const char *name, enum dft_trace_format format,
                       unsigned compression, void (*fill)(struct dft_spool *spool))
{
    struct dft_spool spool;

    CHECK_INT(make_spool(&spool, directory), 0);
    fill(&spool);
    struct dft_spool_settings *settings = &spool.header->settings;
    snprintf(settings->prefix, sizeof settings->prefix, "%s/%s", to, name);
    settings->format = (uint8_t)format;
    settings->compression = (uint8_t)compression;
    snprintf(spool.header->app, sizeof spool.header->app, "app");
    spool.gone = true;
    spool.header->ended = 910000000;
    struct dft_writer *writer = open_writer(&spool);
    dft_writer_finish(writer);
    dft_writer_close(writer);
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
}

static int write_files(const char *to)
{
    long_call_ns = 7000;
    for (unsigned format = 0; format < DFT_FORMATS; format++) {
        char calls[32], events[32];
        snprintf(calls, sizeof calls, "calls-%u", format);
        snprintf(events, sizeof events, "events-%u", format);
        write_file(to, calls, format, 1, fill_calls);
        write_file(to, events, format, 1, fill_program_events);
        snprintf(events, sizeof events, "ties-%u", format);
        write_file(to, events, format, 1, fill_ties);
        snprintf(events, sizeof events, "deep-%u", format);
        write_file(to, events, format, 1, fill_deep);
        snprintf(events, sizeof events, "plain-%u", format);
        write_file(to, events, format, 0, fill_program_events);
    }
    rmdir(directory);
    return unit_result();
}

int main(int argc, char **argv)
{
    is_recording = argc > 1 && strcmp(argv[1], "--record") == 0;
    if (!mkdtemp(directory))
        return 1;
    if (argc > 2 && strcmp(argv[1], "--write") == 0)
        return write_files(argv[2]);
    write_trace("full.json", DFT_FORMAT_JSON, true, fill_calls);
    write_trace("without-args.json", DFT_FORMAT_JSON, false, fill_calls);
    write_trace("full.dftracer", DFT_FORMAT_DFTRACER, true, fill_calls);
    write_trace("without-args.dftracer", DFT_FORMAT_DFTRACER, false, fill_calls);
    write_trace("events.json", DFT_FORMAT_JSON, true, fill_program_events);
    write_trace("events.dftracer", DFT_FORMAT_DFTRACER, true, fill_program_events);
    rmdir(directory);
    return unit_result();
}
