/*
 * What tracing costs, and what it may cost.
 *
 * Runs in traced threads, when one of their chunks is full: every few thousand calls, with signals
 * blocked. All threads of the process share one balance. Processor time earns a share of itself,
 * calls spend what they were measured to cost; once there is a debt, and the calls of the chunk at
 * hand make it larger, the functions with the most short calls in it are counted from then on,
 * until what is left would be within the budget. Nothing is ever switched back: a function that is
 * too hot now and then would have gaps that no reader could explain.
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
 * What the writer takes for a call: between 60 and 150 ns of some other thread, by the length of
 * names and by what else is in the caches; about 25 where it only adds it up. Measured by
 * bench/run.
 */
#define WRITER_NS 120
#define ADDING_NS 30
#define BRANCH_NS 2 /* from the function to its hooks and back, which the loop below has not */
#define COUNT_NS 3

#define GRACE_NS 200000000   /* of processor time, whose share may be spent before it is earned */
#define BUCKET_NS 1000000000 /* of processor time, whose share may be saved up */
#define WHOLE 100000         /* a budget is in thousandths of a percent */

#define ROUNDS 5
#define ROUND_CALLS 1000
#define TALLIES 1024
#define PROBES_MOST 16
#define TOO_FEW 16 /* calls in a chunk: not worth a switch */

static struct {
    uint32_t hook_ns, call_ns;
    _Atomic int64_t balance_ns;
    _Atomic uint32_t busy; /* a thread looks for what is to be counted */
} budget;

/* How things stood when this thread paid last. */
static DFT_TLS struct {
    uint64_t cpu_ns;
    uint64_t counted;
    const struct dft_record *first, *next;
} paid;

/* The calls of one function in a chunk; below `busy`. */
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

/* The hot path on a thread that is none. The quickest round: other load only ever adds. */
static uint32_t measure_hook_ns(void)
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
        uint64_t begin = dft_time_ask(CLOCK_MONOTONIC);
        for (int i = 0; i < ROUND_CALLS; i++) {
            uint64_t start = dft_hot_enter(self, 1, place, dft_clock_now);
            dft_hot_leave(self, self->top - 1, start, dft_clock_now() - start);
        }
        uint64_t took = dft_time_ask(CLOCK_MONOTONIC) - begin;
        least = took < least ? took : least;
    }
    return (uint32_t)(least / ROUND_CALLS) + 1 + BRANCH_NS;
}

/* Whether the calls that are made most often have no event in any case. */
static bool adds_up(void)
{
    return dft_options.aggregate.all || dft_options.min_duration > 0;
}

void dft_budget_begin(struct dft_spool_header *header)
{
    if (!dft_options.budget)
        return;
    if (!budget.call_ns) { /* a forked child has its parent's */
        budget.hook_ns = measure_hook_ns();
        budget.call_ns = budget.hook_ns + (adds_up() ? ADDING_NS : WRITER_NS);
        atomic_store(&budget.balance_ns, share_of(GRACE_NS));
    }
    atomic_store(&budget.busy, 0);
    header->call_cost_ns = budget.call_ns;
    header->count_cost_ns = COUNT_NS;
}

/* --- what is to be counted ------------------------------------------------------------------ */

static struct tally *find_tally(uint32_t site)
{
    for (uint32_t i = 0; i < PROBES_MOST; i++) {
        struct tally *tally = &tallies[(site * 0x9e3779b1u + i) % TALLIES];
        if (tally->site == site || tally->site == 0) {
            tally->site = site;
            return tally;
        }
    }
    return NULL; /* among so many functions none is hot */
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
            dft_spool_site_style(spool, view.site) & DFT_STYLE_COUNTED)
            continue;
        struct tally *tally = find_tally(view.site);
        if (tally) {
            tally->calls++;
            tally->ticks += view.duration;
        }
    }
}

/* Nanoseconds of so many ticks, by the time since the session began. */
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

/* Calls that take long earn what they cost by themselves. */
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
    struct dft_counted counted = {.site = tally->site,
                                  .since = dft_clock_now(),
                                  .calls = tally->calls,
                                  .ticks = tally->ticks,
                                  .window_ns = window_ns};
    uint32_t index = dft_spool_count_site(&dft_session.spool, &counted);

    if (index == DFT_NOT_COUNTED)
        return false;
    dft_sites_count_calls(tally->site, index);
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

static uint64_t counted_calls(const struct dft_thread *self)
{
    uint32_t sites = dft_spool_counted_sites(&dft_session.spool);
    uint64_t calls = 0;

    for (uint32_t i = 0; self->counts && i < sites; i++)
        calls += DFT_COUNT_CALLS(self->counts[i]);
    return calls;
}

void dft_budget_attach(struct dft_thread *self)
{
    if (!dft_options.budget)
        return;
    self->counts =
        dft_spool_reserve_counts(&dft_session.spool, dft_spool_slot(&dft_session.spool, self));
    paid.cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID);
    paid.counted = counted_calls(self);
    paid.first = paid.next = NULL;
}

static void add_to_balance(int64_t ns)
{
    int64_t most = share_of(BUCKET_NS);
    int64_t balance = atomic_load_explicit(&budget.balance_ns, memory_order_relaxed), sum;

    do
        sum = balance + ns < most ? balance + ns : most;
    while (!atomic_compare_exchange_weak(&budget.balance_ns, &balance, sum));
}

void dft_budget_charge(struct dft_thread *self)
{
    if (!dft_options.budget || !self->first ||
        (self->first == paid.first &&
         self->next == paid.next)) /* no room was found the last time */
        return;
    uint64_t cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID), counted = counted_calls(self);
    uint64_t calls = self->next > self->first ? (uint64_t)(self->next - self->first) : 0;
    uint64_t counts = counted - paid.counted, window_ns = cpu_ns - paid.cpu_ns;
    uint64_t own_ns = calls * budget.hook_ns + counts * COUNT_NS;
    int64_t spent = (int64_t)(calls * budget.call_ns + counts * COUNT_NS);
    int64_t earned = share_of(window_ns > own_ns ? window_ns - own_ns : 0);

    paid.cpu_ns = cpu_ns;
    paid.counted = counted;
    paid.first = self->first;
    paid.next = self->next;
    add_to_balance(earned - spent);
    if (spent > earned && atomic_load_explicit(&budget.balance_ns, memory_order_relaxed) < 0)
        reduce(self, window_ns, earned, spent);
}
