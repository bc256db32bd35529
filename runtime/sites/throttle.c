/*
 * Limits the overhead of tracing to DFTRACER_BUDGET, a share of the program's CPU time.
 *
 * Runs in traced threads when a chunk is full, that is every few thousand calls, with signals
 * blocked. All threads of the process share one balance. CPU time adds its share to the balance;
 * each recorded call subtracts its measured cost. If the balance is negative and the calls of the
 * current chunk reduce it further, the functions with the most short calls in that chunk are
 * throttled: their calls are counted from then on. Enough functions are throttled for the rest to
 * be within the budget. Throttling is never undone: otherwise a function that is hot only at times
 * would have gaps in the trace that nobody could explain.
 */
#include "runtime/sites/throttle.h"
#include "os/time.h"
#include "runtime/base/clock.h"
#include "runtime/base/options.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"

#include <string.h>
#include <time.h>

/*
 * CPU time that the writer needs for a call, in another thread: between 60 and 150 ns, depending on
 * the length of names and on caches; about 25 ns if the writer only aggregates the call. Measured
 * by bench/run.
 */
#define WRITER_NS 120
#define ADDING_NS 30
#define BRANCH_NS                                                                                  \
    2 /* the jump from the function to its hooks and back, which the loop below does not include */
#define COUNT_NS 3

#define GRACE_NS 200000000   /* CPU time whose share may be spent in advance */
#define BUCKET_NS 1000000000 /* CPU time whose share may be saved up */
#define WHOLE 100000         /* a budget is in thousandths of a percent */

#define ROUNDS 5
#define ROUND_CALLS 1000
#define TALLIES 1024
#define PROBES_MAX 16
#define TOO_FEW 16 /* with fewer calls in a chunk, a function is not throttled */

static struct {
    uint32_t hook_ns, call_ns, empty_ns;
    _Atomic int64_t balance_ns;
    _Atomic uint32_t busy; /* a thread is selecting functions to throttle */
} budget;

/* The state at this thread's last charge. `first` NULL: the records of the chunk are not charged. */
static DFT_TLS struct {
    uint64_t cpu_ns;
    uint64_t throttled;
    const struct dft_record *first, *next;
} paid;

/* The calls of one function in a chunk; protected by `busy`. */
static struct tally {
    uint32_t site; /* 0: free */
    uint32_t calls;
    uint64_t ticks;
} tallies[TALLIES];

static int64_t share_of(uint64_t ns)
{
    return (int64_t)((unsigned __int128)ns * dft_options.budget / WHOLE);
}

/* --- what a call costs ---------------------------------------------------------------------- */

/* What the records of calls without a body show, on average, if `ns` have passed since `begin`. */
static uint32_t average_ns(const struct dft_record *records, uint64_t begin, uint64_t ns)
{
    uint64_t ticks = 0, all = dft_clock_now() - begin;

    for (int i = 0; i < ROUND_CALLS; i++)
        ticks += records[i].duration;
    return all ? (uint32_t)((unsigned __int128)ticks * ns / all / ROUND_CALLS) : 0;
}

/*
 * Runs the hot path on a dummy thread and takes the fastest round: other load can only add time.
 * The duration in the record of a call without a body is the time from the reading of the clock in
 * one hook to that in the other.
 */
static void measure_hooks(void)
{
    static struct dft_record records[ROUND_CALLS];
    static struct {
        struct dft_thread thread;
        struct dft_frame frames[2];
    } nobody;
    struct dft_thread *self = &nobody.thread;
    struct dft_place place = {(uint64_t)(uintptr_t)&place, 0};
    uint64_t least = UINT64_MAX;

    nobody.frames[0].stack = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        self->next = self->first = records;
        self->end = records + ROUND_CALLS;
        self->top = nobody.frames + 1;
        self->limit = nobody.frames + 2;
        uint64_t begin = dft_time_ask(CLOCK_MONOTONIC), begin_ticks = dft_clock_now();
        for (int i = 0; i < ROUND_CALLS; i++) {
            uint64_t start = dft_fast_path_enter(self, 1, place, dft_clock_now);
            dft_fast_path_leave(self, self->top - 1, start, dft_clock_now() - start);
        }
        uint64_t took = dft_time_ask(CLOCK_MONOTONIC) - begin;
        if (took >= least)
            continue;
        least = took;
        budget.hook_ns = (uint32_t)(took / ROUND_CALLS) + 1 + BRANCH_NS;
        budget.empty_ns = average_ns(records, begin_ticks, took);
    }
}

/* Whether the most frequent calls are aggregated even if they are not throttled. */
static bool adds_up(void)
{
    return dft_options.aggregate.all || dft_options.min_duration > 0;
}

void dft_throttle_begin(struct dft_spool_header *header)
{
    if (!dft_options.budget)
        return;
    if (!budget.call_ns) { /* a forked child has its parent's value */
        measure_hooks();
        budget.call_ns = budget.hook_ns + (adds_up() ? ADDING_NS : WRITER_NS);
        atomic_store(&budget.balance_ns, share_of(GRACE_NS));
    }
    atomic_store(&budget.busy, 0);
    header->call_cost_ns = budget.call_ns;
    header->count_cost_ns = COUNT_NS;
    header->empty_call_ns = budget.empty_ns;
}

/* --- what is to be counted ------------------------------------------------------------------ */

static struct tally *find_tally(uint32_t site)
{
    for (uint32_t i = 0; i < PROBES_MAX; i++) {
        struct tally *tally = &tallies[(site * 0x9e3779b1u + i) % TALLIES];
        if (tally->site == site || tally->site == 0) {
            tally->site = site;
            return tally;
        }
    }
    return NULL; /* the table is full: with so many functions, none is hot */
}

static void tally_calls(const struct dft_thread *self)
{
    const struct dft_spool *spool = &dft_session.spool;
    struct dft_record_view view;

    memset(tallies, 0, sizeof tallies);
    const struct dft_record *end = self->next < self->end ? self->next : self->end;
    for (const struct dft_record *at = self->first; at < end; at += view.units) {
        if (!dft_spool_read_record(at, (uint32_t)(end - at), &view))
            return;
        if (view.kind != DFT_RECORDED_CALL || view.attached ||
            dft_spool_site_style(spool, view.site) & DFT_STYLE_THROTTLED)
            continue;
        struct tally *tally = find_tally(view.site);
        if (tally) {
            tally->calls++;
            tally->ticks += view.duration;
        }
    }
}

/* Converts ticks to nanoseconds, at the average rate since the session began. */
static uint64_t to_ns(uint64_t ticks)
{
    const struct dft_anchor *first = &dft_session.spool.header->started;
    struct dft_anchor now;

    dft_spool_take_anchor(dft_clock_kind, &now);
    uint64_t elapsed = now.ticks - first->ticks;
    return elapsed ? (uint64_t)((unsigned __int128)ticks *
                                (now.monotonic_ns - first->monotonic_ns) / elapsed)
                   : ticks;
}

/*
 * Whether recording the function's calls costs more than their own CPU time adds to the balance.
 * Long calls add more than they cost.
 */
static bool is_short(const struct tally *tally)
{
    return share_of(to_ns(tally->ticks)) < (int64_t)tally->calls * budget.call_ns;
}

static struct tally *find_hottest(void)
{
    struct tally *hottest = NULL;

    for (struct tally *tally = tallies; tally < tallies + TALLIES; tally++)
        if (tally->calls >= TOO_FEW && (!hottest || tally->calls > hottest->calls) &&
            is_short(tally))
            hottest = tally;
    return hottest;
}

static bool count_from_now_on(const struct tally *tally, uint64_t window_ns)
{
    struct dft_throttled throttled = {.site = tally->site,
                                      .since = dft_clock_now(),
                                      .calls = tally->calls,
                                      .ticks = tally->ticks,
                                      .window_ns = window_ns};
    uint32_t index = dft_spool_throttle_site(&dft_session.spool, &throttled);

    if (index == DFT_NOT_THROTTLED)
        return false;
    dft_sites_throttle(tally->site, index);
    return true;
}

static void reduce(const struct dft_thread *self, uint64_t window_ns, int64_t earned, int64_t spent)
{
    struct tally *hottest;

    if (atomic_exchange(&budget.busy, 1))
        return;
    tally_calls(self);
    while (spent > earned && (hottest = find_hottest()) && count_from_now_on(hottest, window_ns)) {
        spent -= (int64_t)hottest->calls * (budget.call_ns - COUNT_NS);
        hottest->calls = 0;
    }
    atomic_store(&budget.busy, 0);
}

/* --- the balance ---------------------------------------------------------------------------- */

static uint64_t throttled_calls(const struct dft_thread *self)
{
    uint32_t sites = dft_spool_throttled_sites(&dft_session.spool);
    uint64_t calls = 0;

    for (uint32_t i = 0; self->counts && i < sites; i++)
        calls += DFT_COUNT_CALLS(self->counts[i]);
    return calls;
}

void dft_throttle_attach(struct dft_thread *self)
{
    if (!dft_options.budget)
        return;
    self->counts =
        dft_spool_reserve_counts(&dft_session.spool, dft_spool_slot(&dft_session.spool, self));
    paid.cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID);
    paid.throttled = throttled_calls(self);
    paid.first = paid.next = NULL;
}

void dft_throttle_exchange(struct dft_paid *other)
{
    struct dft_paid mine = {paid.throttled, paid.first, paid.next};

    paid.throttled = other->throttled;
    paid.first = other->first;
    paid.next = other->next;
    *other = mine;
}

static void add_to_balance(int64_t ns)
{
    int64_t most = share_of(BUCKET_NS);
    int64_t balance = atomic_load_explicit(&budget.balance_ns, memory_order_relaxed), sum;

    do
        sum = balance + ns < most ? balance + ns : most;
    while (!atomic_compare_exchange_weak(&budget.balance_ns, &balance, sum));
}

void dft_throttle_empty_chunk(void)
{
    paid.first = NULL;
}

void dft_throttle_charge(struct dft_thread *self)
{
    if (!dft_options.budget || !self->first ||
        (self->first == paid.first &&
         self->next == paid.next)) /* charged before: the last attempt to get a chunk failed */
        return;
    uint64_t cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID), throttled = throttled_calls(self);
    uint64_t calls = self->next > self->first ? (uint64_t)(self->next - self->first) : 0;
    uint64_t counts = throttled - paid.throttled, window_ns = cpu_ns - paid.cpu_ns;
    uint64_t own_ns = calls * budget.hook_ns + counts * COUNT_NS;
    int64_t spent = (int64_t)(calls * budget.call_ns + counts * COUNT_NS);
    int64_t earned = share_of(window_ns > own_ns ? window_ns - own_ns : 0);

    paid.cpu_ns = cpu_ns;
    paid.throttled = throttled;
    paid.first = self->first;
    paid.next = self->next;
    add_to_balance(earned - spent);
    if (spent > earned && atomic_load_explicit(&budget.balance_ns, memory_order_relaxed) < 0)
        reduce(self, window_ns, earned, spent);
}
