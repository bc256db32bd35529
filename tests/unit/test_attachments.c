/*
 * Attachments of calls: into a record and out of it, through the writer, beside plain calls, in a
 * record that is completed late, and in records that are damaged.
 */
#include "made_spool.h"
#include "made_trace.h"
#include "spool/attachments.h"

#include <unistd.h>

static struct dft_spool spool;
static char directory[] = "/tmp/dftrace-test-attachments-XXXXXX";
static char trace[1 << 20];

static void attach_call(struct dft_thread *thread, uint32_t site, uint64_t start, uint64_t duration,
                        const struct dft_attachments *all)
{
    struct dft_record *record = thread->next;

    thread->next += dft_attachments_units(all);
    dft_attachments_record(record, all, site, start, duration);
}

static void sample(struct dft_attachments *all, uint64_t cpu_ns)
{
    struct dft_sample sample = {.cpu_start_ns = 12345,
                                .cpu_ns = cpu_ns,
                                .rss_kb = 2048,
                                .rss_delta_kb = -4,
                                .peak_rss_kb = 4096,
                                .minor_faults = 1,
                                .major_faults = 2,
                                .voluntary_switches = 3,
                                .involuntary_switches = 4};

    all->used = 0;
    CHECK(dft_attachments_add(all, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample));
}

#define SAMPLE_ARGS                                                                                \
    "\"rss_kb\":2048,\"rss_delta_kb\":-4,\"peak_rss_kb\":4096,\"minflt\":1,\"majflt\":2,"          \
    "\"vcsw\":3,\"ivcsw\":4}"

static struct dft_writer *new_writer(void)
{
    return open_writer(&spool);
}

static void finish(struct dft_writer *writer, uint64_t ended)
{
    finish_trace(&spool, writer, ended, trace, sizeof trace);
}

static unsigned occurrences(const char *part)
{
    return count_parts(trace, part);
}

/* Of every length that there is room for: what goes in comes out. */
static void lengths_are_kept(void)
{
    static unsigned char bytes[DFT_ATTACHMENTS_MAX];
    static struct dft_record records[128];
    struct dft_attachments all;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i + 1);
    for (size_t length = 0; length <= DFT_ATTACHMENTS_MAX; length++) {
        unsigned char copy[DFT_ATTACHMENTS_MAX];
        struct dft_record_view view;
        struct dft_attachment_view one;

        all.used = 0;
        bool room = dft_attachments_add(&all, DFT_ATTACHMENT_SAMPLE, bytes, length);
        CHECK_INT(room, length + sizeof(struct dft_attachment) <= DFT_ATTACHMENTS_MAX);
        if (!room)
            continue;
        memset(records, 0, sizeof records);
        dft_attachments_record(records, &all, 5, 1000, UINT64_C(1) << 40);
        CHECK(dft_spool_read_record(records, 128, &view));
        CHECK_INT(view.site, 5);
        CHECK_INT(view.start, 1000);
        CHECK(view.duration == UINT64_C(1) << 40);
        CHECK_INT(view.units, dft_attachments_units(&all));
        dft_attachments_copy(records, &view, copy);
        const unsigned char *at = copy, *end = copy + view.attached * DFT_MORE_SIZE;
        CHECK(dft_attachments_next(&at, end, &one));
        CHECK_INT(one.kind, DFT_ATTACHMENT_SAMPLE);
        CHECK_INT(one.length, length);
        CHECK(memcmp(one.bytes, bytes, length) == 0);
        CHECK(!dft_attachments_next(&at, end, &one));
        /* Whoever walks over the units one by one finds no other call. */
        for (uint32_t i = 1; i < view.units; i++)
            CHECK_INT(records[i].site, 0);
    }
}

static void several_come_in_order(void)
{
    struct dft_attachments all = {.used = 0};
    struct dft_attachment_view one;

    for (unsigned kind = 1; kind <= 9; kind++)
        CHECK(dft_attachments_add(&all, (enum dft_attachment_kind)kind, "abcdefghi", kind));
    const unsigned char *at = all.bytes;
    for (unsigned kind = 1; kind <= 9; kind++) {
        CHECK(dft_attachments_next(&at, all.bytes + all.used, &one));
        CHECK_INT(one.kind, kind);
        CHECK_INT(one.length, kind);
        CHECK(memcmp(one.bytes, "abcdefghi", kind) == 0);
    }
    CHECK(!dft_attachments_next(&at, all.bytes + all.used, &one));
}

static void damage_is_the_end(void)
{
    static const struct {
        const char *what;
        unsigned char bytes[12];
        size_t length;
    } rows[] = {
        {"nothing", {0}, 0},
        {"half a head", {1, 0, 0}, 3},
        {"no kind", {0, 0, 4, 0, 1, 2, 3, 4}, 8},
        {"longer than there is", {1, 0, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8}, 12},
        {"longest", {1, 0, 255, 255, 1, 2, 3, 4}, 8},
    };
    struct dft_attachment_view one;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned char *at = rows[i].bytes;
        unit_row = rows[i].what;
        CHECK(!dft_attachments_next(&at, rows[i].bytes + rows[i].length, &one));
        CHECK(at == rows[i].bytes);
    }
    unit_row = NULL;
}

static void records_that_reach_too_far_are_refused(void)
{
    static struct dft_record records[8];
    struct dft_attachments all;
    struct dft_record_view view;

    sample(&all, 1);
    uint32_t units = dft_attachments_units(&all);
    dft_attachments_record(records, &all, 5, 1000, 10);
    CHECK(dft_spool_read_record(records, units, &view));
    CHECK(!dft_spool_read_record(records, units - 1, &view));
    records[0].site = DFT_RECORD_MAKE(DFT_RECORD_ATTACHED, 0);
    CHECK(dft_spool_read_record(records, units, &view));
    CHECK_INT(view.site, 0);
    CHECK_INT(view.units, 1);
    CHECK_INT(view.attached, 0);
}

static void samples_are_in_the_trace(void)
{
    struct dft_attachments all;

    CHECK_INT(make_spool(&spool, directory), 0);
    struct dft_thread *thread = make_thread(&spool, 43);
    uint32_t f = make_site(&spool, "f"), g = make_site(&spool, "g");
    make_chunk(&spool, thread);
    make_call(thread, g, 2000, 5);
    sample(&all, 250);
    attach_call(thread, f, 2100, 500, &all);
    make_call(thread, g, 3000, 5);
    all.used = 0; /* a call whose attachments could not be had */
    attach_call(thread, f, 4000, 500, &all);
    sample(&all, 0);
    attach_call(thread, f, 5000, 0, &all);
    sample(&all, 400); /* more than the call took: with the time to read the clocks */
    attach_call(thread, f, 6000, 300, &all);
    finish(new_writer(), 9000);
    CHECK_CONTAINS(trace, "\"args\":{\"file\":\"a.c\",\"line\":7,\"cpu_us\":0.250,"
                          "\"cpu_pct\":50.0," SAMPLE_ARGS ",\"tts\":12.345,\"tdur\":0.250,"
                          "\"tid\":43,\"dur\":0.500,\"ts\":2.100}\n");
    CHECK_CONTAINS(trace, "\"args\":{\"file\":\"a.c\",\"line\":7},\"tid\":43,"
                          "\"dur\":0.500,\"ts\":4.000}\n");
    CHECK_CONTAINS(trace, "\"cpu_us\":0.000,\"cpu_pct\":0.0,");
    CHECK_INT(occurrences("\"name\":\"g\""), 2);
    CHECK_CONTAINS(trace, "\"cpu_us\":0.300,\"cpu_pct\":100.0,");
    CHECK_CONTAINS(trace, "\"tdur\":0.300,\"tid\":43,\"dur\":0.300,");
    CHECK_INT(occurrences("\"name\":\"f\""), 4);
    CHECK_INT(occurrences("\"tdur\""), 3);
}

static void samples_do_without_source_positions(void)
{
    struct dft_attachments all;

    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->settings.metadata = 0;
    struct dft_thread *thread = make_thread(&spool, 43);
    make_chunk(&spool, thread);
    sample(&all, 250);
    attach_call(thread, make_site(&spool, "f"), 2100, 500, &all);
    finish(new_writer(), 9000);
    CHECK_CONTAINS(trace, ",\"args\":{\"cpu_us\":0.250,\"cpu_pct\":50.0," SAMPLE_ARGS
                          ",\"tts\":12.345,\"tdur\":0.250,\"tid\":43,");
}

/* Of calls with the same start and end the caller ends last, and must stand first. */
static void ties_put_the_parent_first(void)
{
    struct dft_attachments all;

    CHECK_INT(make_spool(&spool, directory), 0);
    struct dft_thread *thread = make_thread(&spool, 43);
    make_chunk(&spool, thread);
    sample(&all, 1);
    attach_call(thread, make_site(&spool, "child"), 2000, 5, &all);
    sample(&all, 2);
    attach_call(thread, make_site(&spool, "parent"), 2000, 5, &all);
    make_call(thread, make_site(&spool, "grandparent"), 2000, 5);
    finish(new_writer(), 3000);
    const char *child = strstr(trace, "\"name\":\"child\""),
               *parent = strstr(trace, "\"name\":\"parent\"");
    const char *grandparent = strstr(trace, "\"name\":\"grandparent\"");
    CHECK(child && parent && grandparent && grandparent < parent && parent < child);
    CHECK(parent && strstr(parent, "\"tdur\":0.002") < child);
    CHECK(child && strstr(child, "\"tdur\":0.001") != NULL);
}

/*
 * A signal handler has filled and closed the chunk in which the call that it interrupted has a
 * record of several units yet to fill: the chunk stays in the spool, whole, until then.
 */
static void a_record_may_be_completed_late(void)
{
    struct dft_attachments all;

    CHECK_INT(make_spool(&spool, directory), 0);
    struct dft_thread *thread = make_thread(&spool, 43);
    struct dft_writer *writer = new_writer();
    uint32_t f = make_site(&spool, "f"), late = make_site(&spool, "late");

    make_chunk(&spool, thread);
    struct dft_record *record = thread->next;
    sample(&all, 250);
    uint32_t units = dft_attachments_units(&all);
    thread->next += units;
    make_open_call(thread, late, 1900);
    thread->top[-1].record = DFT_FRAME_RECORD((uintptr_t)record);
    make_call(thread, f, 2000, 5);
    /* As far as it had got: all but the first unit. */
    dft_attachments_record(record, &all, late, 1900, 500);
    uint32_t complete = record->site;
    record->site = 0;
    make_chunk(&spool, thread);
    CHECK(dft_writer_step(writer));
    atomic_store(&spool.header->waiting, 1);
    dft_writer_step(writer); /* commits what there is to commit */
    atomic_store(&spool.header->waiting, 0);
    CHECK_INT(record[units].site, f);
    record->site = complete;
    thread->top--;
    CHECK(dft_writer_step(writer));
    finish(writer, 3000);
    CHECK_INT(occurrences("\"name\":\"late\""), 1);
    CHECK_INT(occurrences("\"name\":\"f\""), 1);
    CHECK_CONTAINS(trace, "\"tdur\":0.250");
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    lengths_are_kept();
    several_come_in_order();
    damage_is_the_end();
    records_that_reach_too_far_are_refused();
    samples_are_in_the_trace();
    samples_do_without_source_positions();
    ties_put_the_parent_first();
    a_record_may_be_completed_late();
    rmdir(directory);
    return unit_result();
}
