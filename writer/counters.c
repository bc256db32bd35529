/*
 * Makes counter events from figures of the process. Runs in the writer's own thread, in the traced
 * process or beside it. No heap. Files of /proc stay open if the host allows it.
 *
 * For readers, a value holds from its timestamp to the next one. So a level (memory, threads) has
 * the time at which it was read; an amount (processor time, page faults, bytes) has the time at
 * which its interval began.
 */
#include "writer/counters.h"
#include "os/time.h"
#include "writer/internal.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum kind {
    CPU,
    MEMORY,
    THREADS,
    FAULTS,
    SWITCHES,
    IO,
    BANDWIDTH,
    IN_FLIGHT,
    MACHINE_CPU,
    MACHINE_MEMORY
};

_Static_assert(MACHINE_MEMORY + 1 == DFT_COUNTER_KINDS, "one place for each");

/* The latest sample of a thread. */
struct dft_thread_figures {
    int32_t tid; /* 0: there is none */
    uint64_t since_ns, cpu_ns;
    bool told;
    char name[16]; /* in its latest event */
};

static const struct dft_spool_settings *settings_of(const struct dft_writer *writer)
{
    return &writer->spool->header->settings;
}

/* The growth of a value. A sum over threads may shrink when a thread ends: that counts as 0. */
static uint64_t growth(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

/* Tenths of a percent. */
static uint64_t share(uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole) : 0;
}

/* --- events --------------------------------------------------------------------------------- */

/* If memory is exhausted, the sample is missing. Only calls must be complete. */
static void append(struct dft_writer *writer, const struct dft_counter *counter)
{
    struct dft_event event = {.kind = DFT_EVENT_COUNTER, .counter = *counter};

    if (!writer->error)
        (void)dft_batch_put_event(writer, &event);
}

/*
 * Writes a counter unless its values are the same as before. An amount other than 0 is always
 * written, because readers may add up amounts.
 */
static void tell(struct dft_writer *writer, enum kind kind, const struct dft_counter *counter)
{
    struct dft_counters *counters = &writer->counters;
    bool is_amount = kind == FAULTS || kind == SWITCHES || kind == IO;
    bool same = counters->latest[kind].told;

    for (unsigned i = 0; i < counter->count; i++) {
        uint64_t value = counter->values[i].value;
        same = same && counters->latest[kind].values[i] == value && !(is_amount && value);
        counters->latest[kind].values[i] = value;
    }
    counters->latest[kind].told = true;
    if (!same)
        append(writer, counter);
}

static void write_levels(struct dft_writer *writer, const struct dft_process_usage *now)
{
    struct dft_counter memory = {
        .name = "memory",
        .ns = now->monotonic_ns,
        .count = 2,
        .values = {{.key = "rss_kb", .value = now->rss_kb},
                   {.key = "peak_rss_kb", .value = now->peak_rss_kb}},
    };
    struct dft_counter threads = {
        .name = "threads",
        .ns = now->monotonic_ns,
        .count = 1,
        .values = {{.key = "threads", .value = now->threads}},
    };

    if (now->rss_kb == 0) /* there is no /proc */
        return;
    tell(writer, MEMORY, &memory);
    tell(writer, THREADS, &threads);
}

static void write_rates(struct dft_writer *writer, const struct dft_process_usage *last,
                        const struct dft_process_usage *now)
{
    uint64_t interval_us = (now->monotonic_ns - last->monotonic_ns) / 1000;
    /*
     * The sum is exact. Which part of it is user time is an estimate. Two estimates may differ by
     * more than the sum has grown, for example if the process itself has made the second one.
     */
    uint64_t all = growth(last->user_us + last->system_us, now->user_us + now->system_us);
    uint64_t user = growth(last->user_us, now->user_us);
    user = user < all ? user : all;
    struct dft_counter cpu = {
        .name = "cpu",
        .ns = last->monotonic_ns,
        .count = 2,
        .values = {{.key = "user_pct", .value = share(user, interval_us), .tenths = true},
                   {.key = "system_pct", .value = share(all - user, interval_us), .tenths = true}},
    };
    struct dft_counter faults = {
        .name = "page faults",
        .ns = last->monotonic_ns,
        .count = 2,
        .values = {{.key = "minflt", .value = growth(last->minor_faults, now->minor_faults)},
                   {.key = "majflt", .value = growth(last->major_faults, now->major_faults)}},
    };
    struct dft_counter switches = {
        .name = "context switches",
        .ns = last->monotonic_ns,
        .count = 2,
        .values = {{.key = "vcsw",
                    .value = growth(last->voluntary_switches, now->voluntary_switches)},
                   {.key = "ivcsw",
                    .value = growth(last->involuntary_switches, now->involuntary_switches)}},
    };
    struct dft_counter io = {
        .name = "io",
        .ns = last->monotonic_ns,
        .count = 4,
        .values = {{.key = "read_bytes", .value = growth(last->read_bytes, now->read_bytes)},
                   {.key = "write_bytes", .value = growth(last->write_bytes, now->write_bytes)},
                   {.key = "storage_read_bytes",
                    .value = growth(last->storage_read_bytes, now->storage_read_bytes)},
                   {.key = "storage_write_bytes",
                    .value = growth(last->storage_write_bytes, now->storage_write_bytes)}},
    };

    tell(writer, CPU, &cpu);
    tell(writer, FAULTS, &faults);
    if (last->has_switches && now->has_switches)
        tell(writer, SWITCHES, &switches);
    if (last->has_io && now->has_io)
        tell(writer, IO, &io);
    if (dft_io_counters_bandwidth(writer, last, now, &io))
        tell(writer, BANDWIDTH, &io);
    if (dft_io_counters_in_flight(writer, now->monotonic_ns, &io))
        tell(writer, IN_FLIGHT, &io);
}

static void write_machine(struct dft_writer *writer, uint64_t last_ns, uint64_t ns)
{
    struct dft_machine_usage *last = &writer->counters.machine, now;

    if (!settings_of(writer)->system_counters ||
        !dft_usage_read_machine(&writer->figure_files, &now))
        return;
    uint64_t all = growth(last->all, now.all);
    struct dft_counter cpu = {
        .name = "system cpu",
        .ns = last_ns,
        .count = 3,
        .values = {{.key = "user_pct",
                    .value = share(growth(last->user, now.user), all),
                    .tenths = true},
                   {.key = "system_pct",
                    .value = share(growth(last->system, now.system), all),
                    .tenths = true},
                   {.key = "iowait_pct",
                    .value = share(growth(last->waiting, now.waiting), all),
                    .tenths = true}},
    };
    struct dft_counter memory = {
        .name = "system memory",
        .ns = ns,
        .count = 2,
        .values = {{.key = "used_kb", .value = growth(now.available_kb, now.memory_kb)},
                   {.key = "available_kb", .value = now.available_kb}},
    };
    if (last->all && all)
        tell(writer, MACHINE_CPU, &cpu);
    tell(writer, MACHINE_MEMORY, &memory);
    *last = now;
}

/* --- threads -------------------------------------------------------------------------------- */

static struct dft_thread_figures *find_thread(struct dft_counters *counters, uint32_t slot)
{
    struct dft_buffer *all = &counters->threads;
    size_t needed = ((size_t)slot + 1) * sizeof(struct dft_thread_figures);

    if (all->used < needed) {
        if (!dft_buffer_reserve(all, needed - all->used))
            return NULL;
        all->used = needed; /* fresh pages are zero */
    }
    return &((struct dft_thread_figures *)all->data)[slot];
}

/* Writes the thread's share of a processor from `ns` on. `share` is in tenths of a percent. */
static void write_share(struct dft_writer *writer, const struct dft_thread_figures *thread,
                        uint64_t ns, uint64_t share)
{
    struct dft_counter cpu = {
        .name = "thread cpu",
        .ns = ns,
        .count = 1,
        .values = {{.value = share, .tenths = true}},
    };

    snprintf(cpu.text, sizeof cpu.text, "%.15s %ld pct", thread->name, (long)thread->tid);
    append(writer, &cpu);
}

/* The figures that a thread's first sample is compared with. */
static struct dft_thread_figures first_figures(const struct dft_writer *writer, int32_t tid)
{
    const struct dft_process_usage *begin = &writer->spool->header->at_begin;
    struct dft_thread_figures first = {.tid = 0};

    /* When the session began, this was the only thread, and no earlier writer has sampled it. */
    if (tid == writer->start.pid && begin->threads == 1 && writer->counters.from_begin)
        first = (struct dft_thread_figures){
            .tid = tid,
            .since_ns = begin->monotonic_ns,
            .cpu_ns = (begin->user_us + begin->system_us) * 1000,
        };
    return first;
}

static void write_thread(struct dft_writer *writer, uint32_t slot, uint64_t ns)
{
    const struct dft_thread *thread = dft_spool_thread(writer->spool, slot);
    struct dft_thread_figures *last = find_thread(&writer->counters, slot);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);

    if (!last || state != DFT_THREAD_LIVE)
        return;
    struct dft_thread_figures now = {.tid = thread->tid, .since_ns = ns};
    now.cpu_ns = dft_usage_thread_ns(&writer->figure_files, writer->start.pid, now.tid);
    if (now.cpu_ns == 0)
        return;
    if (last->tid != now.tid)
        *last = first_figures(writer, now.tid);
    if (last->tid == now.tid) {
        memcpy(now.name, thread->name, sizeof now.name - 1);
        now.told = true;
        if (last->told && strcmp(last->name, now.name) != 0)
            write_share(writer, last, last->since_ns, 0); /* the thread has another name now */
        write_share(writer, &now, last->since_ns,
                    share(growth(last->cpu_ns, now.cpu_ns), growth(last->since_ns, ns)));
    }
    *last = now;
}

void dft_counters_end_thread(struct dft_writer *writer, uint32_t slot, uint64_t ns)
{
    struct dft_buffer *all = &writer->counters.threads;

    if (all->used < ((size_t)slot + 1) * sizeof(struct dft_thread_figures))
        return;
    struct dft_thread_figures *last = &((struct dft_thread_figures *)all->data)[slot];
    if (last->tid == dft_spool_thread(writer->spool, slot)->tid && last->told)
        write_share(writer, last, ns > last->since_ns ? ns : last->since_ns, 0);
    *last = (struct dft_thread_figures){.tid = 0};
}

static void write_threads(struct dft_writer *writer, uint64_t ns)
{
    uint32_t count = atomic_load(&writer->spool->header->thread_count);

    if (!settings_of(writer)->thread_counters || writer->spool->gone)
        return;
    for (uint32_t slot = 0; slot < count && slot < DFT_THREAD_MAX; slot++)
        write_thread(writer, slot, ns);
}

/* --- samples -------------------------------------------------------------------------------- */

static bool is_inside(const struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;

    return header->host_pid == header->pid;
}

/*
 * Subtracts what the writer itself uses if it runs in the traced process: its threads, and the
 * bytes of the trace.
 */
static void take_off_own(const struct dft_writer *writer, struct dft_process_usage *figures)
{
    uint64_t own_threads = 1 + writer->pool.helper_count;

    figures->write_bytes = growth(writer->file.size, figures->write_bytes);
    if (figures->threads > own_threads)
        figures->threads -= own_threads;
}

static void take(struct dft_writer *writer, struct dft_process_usage now)
{
    struct dft_counters *counters = &writer->counters;
    uint64_t last_ns = counters->last.monotonic_ns;

    if (counters->begun && now.monotonic_ns <= last_ns)
        return;
    if (counters->begun && is_inside(writer))
        take_off_own(writer, &now);
    /* The kernel's count of the peak is imprecise and may be lower than before. */
    if (counters->begun && now.peak_rss_kb < counters->last.peak_rss_kb)
        now.peak_rss_kb = counters->last.peak_rss_kb;
    if (counters->begun)
        write_rates(writer, &counters->last, &now);
    write_levels(writer, &now);
    write_machine(writer, last_ns, now.monotonic_ns);
    if (counters->begun)
        write_threads(writer, now.monotonic_ns);
    if (!counters->begun && !counters->from_begin)
        dft_io_counters_moved(writer, counters->moved);
    counters->last = now;
    counters->begun = true;
}

static bool read_figures(struct dft_writer *writer, struct dft_process_usage *figures)
{
    const struct dft_spool_header *header = writer->spool->header;

    if (writer->spool->gone)
        return false;
    if (!is_inside(writer))
        return dft_usage_read_other(&writer->figure_files, header->pid, header->born, figures);
    dft_usage_read_own(&writer->figure_files, figures);
    return true;
}

void dft_counters_begin(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;

    if (header->settings.counter_interval_ms == 0 || header->at_begin.monotonic_ns == 0)
        return;
    writer->counters.interval_ns = (uint64_t)header->settings.counter_interval_ms * 1000000u;
    writer->counters.from_begin = writer->file.size == 0;
    if (writer->counters.from_begin) /* otherwise an earlier writer has written them */
        take(writer, header->at_begin);
}

void dft_counters_step(struct dft_writer *writer)
{
    struct dft_counters *counters = &writer->counters;
    struct dft_process_usage now;

    if (counters->interval_ns == 0 ||
        dft_time_now(CLOCK_MONOTONIC) < counters->last.monotonic_ns + counters->interval_ns)
        return;
    if (read_figures(writer, &now))
        take(writer, now);
    else
        counters->interval_ns = 0; /* the process is gone */
    dft_batch_close_if_due(writer);
}

void dft_counters_end(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    struct dft_process_usage now;

    if (header->settings.counter_interval_ms == 0 || !writer->counters.begun)
        return;
    memset(writer->counters.latest, 0, sizeof writer->counters.latest); /* write all once more */
    if (header->at_end.monotonic_ns)
        take(writer, header->at_end);
    else if (read_figures(writer, &now))
        take(writer, now);
}

unsigned dft_counters_wait_ms(const struct dft_writer *writer, unsigned most)
{
    const struct dft_counters *counters = &writer->counters;
    uint64_t due = counters->last.monotonic_ns + counters->interval_ns,
             now = dft_time_now(CLOCK_MONOTONIC);

    if (counters->interval_ns == 0)
        return most;
    uint64_t left = due > now ? (due - now + 999999) / 1000000 : 1;
    return left < most ? (unsigned)left : most;
}

void dft_counters_reset(struct dft_counters *counters)
{
    struct dft_buffer threads = counters->threads;

    if (threads.used) /* what is behind `used` is zero already */
        memset(threads.data, 0, threads.used);
    threads.used = 0;
    *counters = (struct dft_counters){.threads = threads};
}

void dft_counters_release(struct dft_counters *counters)
{
    dft_buffer_release(&counters->threads);
}
