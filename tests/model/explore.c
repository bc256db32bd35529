/*
 * Explores every interleaving of the spool protocol, with the real code: hooks.c, slow_path.c and
 * records.c of the runtime, spool/, and the writer from the walk through the chunks to the commit.
 *
 * Traced threads and the writer are coroutines. The compiler calls model_access() before each
 * access to memory (steps.c). There the coroutine stops, and any of these may happen next: the
 * coroutine continues; another one runs; a signal handler that makes traced calls runs on the
 * thread's stack; the writer dies (a killed host); the program dies (the host continues); all of
 * them die. Then the spool is recovered (recover.c), by a writer that is also killed at each of its
 * own writes, up to three in a row. Each ended call must be in the trace once, each open call once,
 * and none twice. A thread that waits for a chunk must get one before its wait has timed out 16
 * times with the writer idle.
 *
 * A coroutine stops only at memory that two coroutines use and one changes. Other accesses commute
 * with everything but a kill, and kills are tried before each write. The search finds out by itself
 * which memory that is: it starts again whenever it finds more. States that were seen before are
 * not followed again, so the search ends. Within the bounds of a scenario it is complete.
 *
 * The bounds are small: chunks of two records, one or two threads, up to four calls, up to two
 * signals, one or two passes of the writer. A wait times out only where that matters: while the
 * writer sleeps, or if there is a chunk to be found. The search takes half a minute, and stops with
 * a message if it needs more than 1 GB. Memory is sequentially consistent. Not part of the model:
 * hooks in assembly, attachments, throttled calls, threads that begin, snapshots, helpers, encoding
 * and files.
 */
#include "dftrace/abi.h"
#include "runtime/hooks/records.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "tests/model/model.h"
#include "writer/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>

/* The runtime's hooks, as compiled programs call them. */
uint64_t __dftrace_enter(struct dftrace_site *site);
void __dftrace_exit(struct dftrace_site *site, uint64_t token);

struct scenario {
    const char *name;
    unsigned threads;
    unsigned calls;         /* of each thread, inside its outermost call */
    unsigned signals;       /* that the first thread may receive */
    unsigned handler_calls; /* of each signal handler */
    unsigned chunk_limit;
    unsigned passes; /* of the writer while no thread waits for it */
    bool hosted;     /* the writer is in another process: either may be killed alone */
    bool drop;       /* DFTRACER_WHEN_FULL=drop */
    bool cold;       /* free chunks return their memory */
};

static const struct scenario scenarios[] = {
    {.name = "one thread", .threads = 1, .calls = 3, .chunk_limit = 4, .passes = 2},
    {.name = "freed memory", .threads = 1, .calls = 3, .chunk_limit = 4, .passes = 2, .cold = true},
    {.name = "signal handler",
     .threads = 1,
     .signals = 1,
     .handler_calls = 2,
     .chunk_limit = 4,
     .passes = 1},
    {.name = "two signals", .threads = 1, .signals = 2, .handler_calls = 1, .chunk_limit = 4},
    {.name = "full spool", .threads = 1, .calls = 3, .chunk_limit = 1, .passes = 1},
    {.name = "full spool, handler",
     .threads = 1,
     .signals = 1,
     .handler_calls = 2,
     .chunk_limit = 1,
     .passes = 1},
    {.name = "full spool, drop",
     .threads = 1,
     .calls = 3,
     .chunk_limit = 1,
     .passes = 1,
     .drop = true},
    {.name = "full spool, host", .threads = 1, .calls = 2, .chunk_limit = 1, .hosted = true},
    {.name = "two threads", .threads = 2, .chunk_limit = 2, .passes = 1},
    {.name = "host", .threads = 1, .calls = 2, .chunk_limit = 4, .passes = 1, .hosted = true},
    {.name = "host, handler",
     .threads = 1,
     .signals = 1,
     .handler_calls = 1,
     .chunk_limit = 4,
     .passes = 1,
     .hosted = true},
};

enum { WRITER = MODEL_THREADS, ACTORS, HANDLER = ACTORS };

#define STACK_SIZE (24u << 10)
#define MEMORY_MOST (1ull << 30) /* twenty times what any scenario needs */
#define TIMEOUTS_MOST 16         /* a few make a thread lend its chunk, one more wakes the writer */

struct actor {
    ucontext_t context;
    uint8_t done, dead, is_blocked, signals_blocked, in_handler, take_signal;
    uint8_t timeouts; /* of the current wait, since the writer last freed something */
    uint32_t seen;    /* the header's `freed` as the blocked thread saw it */
    _Alignas(16) char stack[STACK_SIZE];
};

/* Everything that a step can change. */
static struct state {
    struct model_disk disk;
    uint64_t tick;
    uint64_t heap_used;
    uint32_t passes, signals, next_site;
    uint32_t inside; /* the writer is in a pass */
    struct dft_spool writers_spool;
    struct dft_writer *writer;
    struct actor actors[ACTORS];
    _Alignas(64) char heap[MODEL_HEAP_SIZE];
} state;

struct model_disk *model_disk;
char *model_heap;
size_t *model_heap_used;

static const struct scenario *scenario;
static ucontext_t explorer;
static int running = -1;
static bool has_failed;
static struct dftrace_site sites[MODEL_SITES + 1];

/* --- shared memory -------------------------------------------------------------------------- */

#define GRANULE 4u
static struct {
    uint8_t readers, writers; /* one bit for each actor, and one for the signal handler */
} uses[MODEL_SPOOL_SIZE / GRANULE];
static bool found_shared;

static bool is_shared(size_t granule)
{
    unsigned all = uses[granule].readers | uses[granule].writers;

    return uses[granule].writers && (all & (all - 1));
}

static bool note_use(size_t offset, size_t size, bool is_write)
{
    unsigned who =
        running < WRITER && state.actors[running].in_handler ? HANDLER : (unsigned)running;
    bool shared = false;

    for (size_t at = offset / GRANULE; at * GRANULE < offset + size; at++) {
        bool before = is_shared(at);
        if (is_write)
            uses[at].writers |= (uint8_t)(1u << who);
        else
            uses[at].readers |= (uint8_t)(1u << who);
        found_shared |= is_shared(at) && !before;
        shared |= is_shared(at);
    }
    return shared;
}

/* --- actors --------------------------------------------------------------------------------- */

static void make_call(uint32_t site);

static void pause_actor(void)
{
    struct actor *actor = &state.actors[running];

    swapcontext(&actor->context, &explorer);
    if (actor->take_signal) {
        actor->take_signal = 0;
        actor->in_handler = 1;
        for (unsigned i = 0; i < scenario->handler_calls; i++)
            make_call(++state.next_site);
        actor->in_handler = 0;
    }
}

void model_may_be_killed(void)
{
    if (!has_failed && !model_recover(model_disk))
        has_failed = true;
}

void model_access(const void *address, size_t size, bool is_write)
{
    const char *at = address;

    if (at < model_disk->spool || at >= model_disk->spool + MODEL_SPOOL_SIZE)
        return;
    if (model_disk == &state.disk && running >= 0) {
        bool stop = note_use((size_t)(at - model_disk->spool), size, is_write);
        if (stop || (scenario->hosted && is_write))
            pause_actor();
    }
    if (is_write && (running >= 0 || model_disk != &state.disk))
        model_may_be_killed();
}

void model_wait_freed(const void *word, uint32_t seen)
{
    const struct dft_spool_header *header = dft_session.spool.header;
    struct actor *actor = &state.actors[running];

    if (word != &header->freed)
        abort();
    if (state.actors[WRITER].dead || header->freed != seen)
        return;
    if (actor->seen != seen)
        actor->timeouts = 0;
    actor->seen = seen;
    actor->is_blocked = 1;
    pause_actor();
}

void model_block_signals(int change)
{
    state.actors[running].signals_blocked =
        (uint8_t)(state.actors[running].signals_blocked + change);
}

bool model_writer_is_dead(void)
{
    return state.actors[WRITER].dead;
}

uint64_t model_tick(void)
{
    return ++state.tick;
}

static __attribute__((noinline)) void make_call(uint32_t site)
{
    state.disk.ledger[site] = MODEL_ENTERING;
    uint64_t token = __dftrace_enter(&sites[site]);
    state.disk.ledger[site] = MODEL_OPEN;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state.disk.ledger[site] = MODEL_LEAVING;
    __dftrace_exit(&sites[site], token);
    state.disk.ledger[site] = MODEL_ENDED;
}

static __attribute__((noinline)) void make_calls(uint32_t outermost)
{
    state.disk.ledger[outermost] = MODEL_ENTERING;
    uint64_t token = __dftrace_enter(&sites[outermost]);
    state.disk.ledger[outermost] = MODEL_OPEN;
    for (uint32_t i = 1; i <= scenario->calls; i++)
        make_call(outermost + i);
    state.disk.ledger[outermost] = MODEL_LEAVING;
    __dftrace_exit(&sites[outermost], token);
    state.disk.ledger[outermost] = MODEL_ENDED;
}

static void run_thread(void)
{
    struct dft_thread *self = dft_self;

    make_calls(1 + (uint32_t)running * (1 + scenario->calls));
    /* Like the end of a thread in runtime/session/thread.c. */
    model_block_signals(1);
    dft_records_end(self);
    self->ended = model_tick();
    dft_spool_end_thread(&dft_session.spool, self);
    state.actors[running].done = 1;
    pause_actor();
}

static bool threads_are_gone(void)
{
    for (unsigned i = 0; i < scenario->threads; i++)
        if (!state.actors[i].done && !state.actors[i].dead)
            return false;
    return true;
}

static void run_writer(void)
{
    struct dft_spool_header *header = state.writers_spool.header;
    struct dft_spool_findings findings;

    while (!threads_are_gone()) {
        /* Like the loops in runtime/session/writer_thread.c and tool/run/host.c: a pass that found
         * calls is followed by another one. */
        header->wake = header->asleep = 0;
        state.inside = 1;
        bool found = dft_writer_step(state.writer);
        state.inside = 0;
        if (found)
            header->wake = 1;
        header->asleep = !header->wake;
        if (state.passes < scenario->passes)
            state.passes++;
        if (!threads_are_gone())
            pause_actor();
    }
    if (state.actors[0].dead) { /* like tool/run/host.c */
        state.writers_spool.gone = true;
        if (dft_spool_examine(&state.writers_spool, &findings) != 0 || findings.damaged)
            has_failed = true;
        header->ended = findings.latest;
    } else {
        header->ended = state.tick;
        atomic_store(&header->state, DFT_SPOOL_STOPPING);
    }
    dft_writer_finish(state.writer);
    state.actors[WRITER].done = 1;
    pause_actor();
}

/* --- search --------------------------------------------------------------------------------- */

enum choice { CONTINUE, SIGNAL, DIE, CHOICES };

static bool is_somebody_waiting(void)
{
    for (unsigned i = 0; i < scenario->threads; i++)
        if (state.actors[i].is_blocked && !state.actors[i].done && !state.actors[i].dead)
            return true;
    return false;
}

/* Whether a blocked thread would find a chunk if its wait timed out now. */
static bool is_room_for(unsigned thread)
{
    const struct dft_spool *spool = &dft_session.spool;
    const struct dft_thread *slot = dft_spool_thread(spool, thread);

    if (slot->lent)
        return spool->directory[slot->chunk].state != DFT_CHUNK_LENT;
    return (uint32_t)spool->header->free_chunks || (uint32_t)spool->header->cold_chunks;
}

/*
 * Whether a wait in which the writer has freed nothing may time out. Timeouts while the writer is
 * working, or has been woken, would only increase the thread's count of them. They are not explored,
 * because each count is another state.
 */
static bool may_time_out(void)
{
    return !state.inside && !dft_session.spool.header->wake;
}

static bool has_reason_to_go_on(unsigned thread)
{
    return state.actors[WRITER].dead || state.actors[WRITER].done ||
           dft_session.spool.header->freed != state.actors[thread].seen || is_room_for(thread);
}

static bool is_possible(unsigned who, enum choice choice)
{
    const struct actor *actor = &state.actors[who];

    if (actor->done || actor->dead)
        return false;
    if (who == WRITER) {
        if (choice == CONTINUE)
            return state.inside || threads_are_gone() || state.passes < scenario->passes ||
                   (dft_session.spool.header->wake && is_somebody_waiting());
        return choice == DIE && scenario->hosted;
    }
    if (who >= scenario->threads)
        return false;
    if (choice == SIGNAL)
        return who == 0 && state.signals < scenario->signals && !actor->signals_blocked &&
               !actor->in_handler && !actor->is_blocked;
    if (choice == DIE) /* all threads die at once */
        return who == 0 && scenario->hosted;
    return !actor->is_blocked || has_reason_to_go_on(who) || may_time_out();
}

static void take_step(unsigned who, enum choice choice)
{
    struct actor *actor = &state.actors[who];

    if (choice == DIE) {
        actor->dead = 1;
        for (unsigned i = 0; who < WRITER && i < scenario->threads; i++)
            state.actors[i].dead = 1;
        if (who == WRITER)
            state.disk.may_drop = 1;
        return;
    }
    if (choice == SIGNAL) {
        actor->take_signal = 1;
        state.signals++;
    }
    if (actor->is_blocked && !has_reason_to_go_on(who) && ++actor->timeouts > TIMEOUTS_MOST) {
        printf("  a thread waits, and the writer gives it nothing\n");
        has_failed = true;
    }
    actor->is_blocked = 0;
    running = (int)who;
    dft_self = who < WRITER ? dft_spool_thread(&dft_session.spool, who) : NULL;
    swapcontext(&explorer, &actor->context);
    running = -1;
    if (dft_session.spool.header->wake > 1) /* how often the writer was woken does not matter */
        dft_session.spool.header->wake = 1;
}

/* Memory below the stack pointers is irrelevant, and so are the encoder's parts of the writer. */
static uint64_t hash_state(void)
{
    const struct dft_spool_header *header = dft_session.spool.header;
    const uint32_t words[] = {header->wake, header->asleep, header->freed};
    uint64_t hash = model_hash_disk(2, &state.disk);

    hash = model_hash(hash, words, sizeof words);
    hash = model_hash(hash, &state.tick,
                      offsetof(struct state, actors) - offsetof(struct state, tick));

    for (unsigned i = 0; i < ACTORS; i++) {
        const struct actor *actor = &state.actors[i];
        const greg_t *registers = actor->context.uc_mcontext.gregs;
        const greg_t kept[] = {registers[REG_RBX], registers[REG_RBP], registers[REG_R12],
                               registers[REG_R13], registers[REG_R14], registers[REG_R15],
                               registers[REG_RSP], registers[REG_RIP]};
        hash = model_hash(hash, &actor->done,
                          offsetof(struct actor, stack) - offsetof(struct actor, done));
        if (actor->done || actor->dead || (i < WRITER && i >= scenario->threads))
            continue;
        const char *top = (const char *)registers[REG_RSP];
        hash = model_hash(hash, kept, sizeof kept);
        hash = model_hash(hash, top, (size_t)(actor->stack + STACK_SIZE - top));
    }
    if (state.actors[WRITER].dead)
        return hash;
    const char *pool = (const char *)&state.writer->pool;
    hash = model_hash(hash, state.heap, offsetof(struct dft_writer, worker));
    hash = model_hash(hash, pool, offsetof(struct dft_pool, helpers));
    return model_hash(hash, pool + sizeof state.writer->pool,
                      state.heap_used - (size_t)(pool + sizeof state.writer->pool - state.heap));
}

/* The fewest bytes that restore the state. */
struct snapshot {
    char *bytes;
    size_t room;
    unsigned next; /* who * CHOICES + choice to be tried next */
};

struct part {
    char *at;
    size_t size;
};

static unsigned list_parts(struct part *parts)
{
    unsigned count = 0;
    char *helpers = (char *)state.writer->pool.helpers;
    char *behind = helpers + sizeof state.writer->pool.helpers;

    parts[count++] = (struct part){(char *)&state, offsetof(struct state, actors)};
    for (unsigned i = 0; i < ACTORS; i++) {
        struct actor *actor = &state.actors[i];
        char *top = (char *)actor->context.uc_mcontext.gregs[REG_RSP];
        parts[count++] = (struct part){(char *)actor, offsetof(struct actor, stack)};
        if (top > actor->stack && top < actor->stack + STACK_SIZE)
            parts[count++] = (struct part){top, (size_t)(actor->stack + STACK_SIZE - top)};
    }
    parts[count++] = (struct part){state.heap, offsetof(struct dft_writer, worker)};
    parts[count++] = (struct part){(char *)&state.writer->pool, offsetof(struct dft_pool, helpers)};
    parts[count++] = (struct part){behind, (size_t)(state.heap + state.heap_used - behind)};
    return count;
}

static void save(struct snapshot *snapshot)
{
    struct part parts[16];
    unsigned count = list_parts(parts);
    size_t size = sizeof parts + sizeof count;

    for (unsigned i = 0; i < count; i++)
        size += parts[i].size;
    if (size > snapshot->room) {
        free(snapshot->bytes);
        snapshot->room = size + 4096;
        snapshot->bytes = malloc(snapshot->room);
        if (!snapshot->bytes)
            model_out_of_memory();
    }
    char *to = snapshot->bytes;
    memcpy(to, &count, sizeof count);
    memcpy(to + sizeof count, parts, sizeof parts);
    to += sizeof count + sizeof parts;
    for (unsigned i = 0; i < count; to += parts[i++].size)
        memcpy(to, parts[i].at, parts[i].size);
    snapshot->next = 0;
}

static void restore(const struct snapshot *snapshot)
{
    struct part parts[16];
    unsigned count;
    const char *from = snapshot->bytes;

    memcpy(&count, from, sizeof count);
    memcpy(parts, from + sizeof count, sizeof parts);
    from += sizeof count + sizeof parts;
    for (unsigned i = 0; i < count; from += parts[i++].size)
        memcpy(parts[i].at, from, parts[i].size);
}

static struct snapshot *stack;
static size_t depth, depth_room;
static struct model_set visited;

static void push(void)
{
    if (depth == depth_room) {
        depth_room = depth_room ? 2 * depth_room : 256;
        stack = realloc(stack, depth_room * sizeof *stack);
        if (!stack)
            model_out_of_memory();
        memset(stack + depth, 0, (depth_room - depth) * sizeof *stack);
    }
    save(&stack[depth++]);
}

static void print_schedule(void)
{
    static const char *const names[] = {"thread", "thread 2", "writer"};
    unsigned last = UINT32_MAX, count = 0;

    printf("  schedule:");
    for (size_t i = 0; i <= depth; i++) {
        unsigned step = i < depth ? stack[i].next - 1 : UINT32_MAX;
        if (i > 0 && (step != last || step % CHOICES != CONTINUE)) {
            if (last % CHOICES == CONTINUE)
                printf(" %s*%u", names[last / CHOICES], count);
            else
                printf(" %s", last % CHOICES == SIGNAL   ? "signal"
                              : last / CHOICES == WRITER ? "writer-dies"
                                                         : "program-dies");
            count = 0;
        }
        last = step;
        count++;
    }
    printf("\n");
}

/* Tries all choices of a state, and everything that follows from each. */
static uint64_t search(void)
{
    bool is_current = true; /* the state is that of the topmost snapshot */

    depth = 0;
    model_set_clear(&visited);
    model_set_add(&visited, hash_state());
    push();
    while (depth > 0 && !has_failed) {
        struct snapshot *top = &stack[depth - 1];
        if (top->next == ACTORS * CHOICES) {
            depth--;
            is_current = false;
            continue;
        }
        unsigned who = top->next / CHOICES;
        enum choice choice = top->next % CHOICES;
        top->next++;
        if (!is_current)
            restore(top);
        is_current = true;
        if (!is_possible(who, choice))
            continue;
        is_current = false;
        take_step(who, choice);
        if (state.actors[WRITER].done && !has_failed) {
            has_failed = !model_check(&state.disk, state.writer->totals.dropped);
            model_may_be_killed();
        }
        if (state.actors[WRITER].dead)
            model_may_be_killed();
        if (has_failed || !model_set_add(&visited, hash_state()))
            continue;
        push();
        is_current = true;
    }
    return visited.used;
}

/* --- beginning ------------------------------------------------------------------------------ */

struct dft_spool model_spool_of(struct model_disk *disk)
{
    struct dft_spool_header *header = (struct dft_spool_header *)disk->spool;
    struct dft_spool spool = {.header = header, .size = MODEL_SPOOL_SIZE};

    spool.directory = (struct dft_chunk *)(disk->spool + header->directory.offset);
    return spool;
}

/* The layout of a spool does not matter to the protocol; a real spool has 2 GB of addresses. */
static void make_spool(void)
{
    struct dft_spool_header *header = (struct dft_spool_header *)state.disk.spool;
    uint64_t offset = (sizeof *header + 63) / 64 * 64;

    memcpy(header->magic, DFT_SPOOL_MAGIC, sizeof header->magic);
    header->version = DFT_SPOOL_VERSION;
    header->base = (uint64_t)(uintptr_t)header;
    header->file_size = MODEL_SPOOL_SIZE;
    header->directory = (struct dft_region){offset, MODEL_CHUNKS * sizeof(struct dft_chunk)};
    offset += header->directory.size;
    header->threads = (struct dft_region){offset, (uint64_t)MODEL_THREADS * DFT_THREAD_SIZE};
    offset += header->threads.size;
    header->chunks = (struct dft_region){offset, MODEL_CHUNKS * (uint64_t)DFT_CHUNK_SIZE};
    if (offset + header->chunks.size > MODEL_SPOOL_SIZE)
        abort();
    header->chunk_limit = scenario->chunk_limit;
    header->chunk_max = MODEL_CHUNKS;
    header->chunk_keep = scenario->cold ? 0 : MODEL_CHUNKS;
    header->clock = DFT_CLOCK_MONOTONIC;
    header->settings.drop_when_full = scenario->drop;
    header->settings.member_size = 1 << 20;
    header->settings.disable_tids = 1; /* so that naming the main thread needs no search */
    atomic_store(&header->state, DFT_SPOOL_RUNNING);
}

/* Like runtime/session/thread.c. */
static void make_thread(unsigned which)
{
    uint32_t slot;
    struct dft_thread *self = dft_spool_claim_thread(&dft_session.spool, &slot);

    self->frames[0].stack = UINT64_MAX;
    self->oldest = self->chunk = DFT_NO_CHUNK;
    self->tid = (int32_t)which + 1;
    self->started = model_tick();
    self->top = self->frames + 1;
    self->limit = self->frames + DFT_THREAD_FRAMES;
    dft_records_make_room(self);
    atomic_store(&self->state, DFT_THREAD_LIVE);
}

static void make_actor(unsigned which, void (*run)(void))
{
    struct actor *actor = &state.actors[which];

    getcontext(&actor->context);
    actor->context.uc_stack.ss_sp = actor->stack;
    actor->context.uc_stack.ss_size = STACK_SIZE;
    actor->context.uc_link = NULL;
    makecontext(&actor->context, run, 0);
}

static void begin(void)
{
    char path[16];
    int error;

    memset(&state, 0, sizeof state);
    model_disk = &state.disk;
    model_heap = state.heap;
    model_heap_used = &state.heap_used;
    make_spool();
    dft_session.spool = model_spool_of(&state.disk);
    state.writers_spool = dft_session.spool;
    for (unsigned i = 0; i < scenario->threads; i++)
        make_thread(i);
    state.disk.threads = (uint8_t)scenario->threads;
    state.disk.may_drop = scenario->drop;
    state.next_site = scenario->threads * (1 + scenario->calls);
    for (uint32_t i = 1; i <= MODEL_SITES; i++)
        sites[i] = (struct dftrace_site){.on = 1, .id = i};
    state.writer = dft_writer_open(&state.writers_spool, &error, path, sizeof path);
    if (!state.writer || (char *)state.writer != state.heap ||
        state.next_site + scenario->signals * scenario->handler_calls > MODEL_SITES)
        abort();
    for (unsigned i = 0; i < scenario->threads; i++)
        make_actor(i, run_thread);
    make_actor(WRITER, run_writer);
}

void model_out_of_memory(void)
{
    printf("%s: out of memory with %zu states, %zu steps deep, and %llu spools left by kills\n",
           scenario->name, visited.used, depth, (unsigned long long)model_killed_states);
    exit(2);
}

static void limit_memory(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_AS, &limit);
    if (limit.rlim_cur > MEMORY_MOST)
        limit.rlim_cur = MEMORY_MOST;
    setrlimit(RLIMIT_AS, &limit);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool run(const struct scenario *which)
{
    double started = seconds();
    uint64_t states;

    scenario = which;
    memset(uses, 0, sizeof uses);
    do {
        found_shared = false;
        model_reset_recovery();
        begin();
        states = search();
    } while (found_shared && !has_failed);
    printf("%-20s %8llu states, %8llu spools left by kills, %8llu recoveries, %.1f s\n",
           which->name, (unsigned long long)states, (unsigned long long)model_killed_states,
           (unsigned long long)model_recoveries, seconds() - started);
    if (has_failed)
        print_schedule();
    fflush(stdout);
    return !has_failed;
}

/* Runs all scenarios, or those whose names contain the argument. */
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    limit_memory();
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if ((argc < 2 || strstr(scenarios[i].name, argv[1])) && !run(&scenarios[i]))
            return 1;
    return 0;
}
