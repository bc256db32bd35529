/*
 * The spool's format: the contract between hooks and writer.
 *
 * A spool is one file that the traced process maps shared, so it outlives the process however that
 * dies. Hooks append to it without locks and system calls. A writer in the same process, in a parent
 * or in a later process reads it and needs nothing else. Every change here raises DFT_SPOOL_VERSION.
 * docs/INTERNALS.md has the reasons.
 *
 *   header | chunk directory | site index | site hash | site text | clock | throttled sites |
 *   thread slots | counts | chunks
 *
 * All regions but the header are sparse: a page costs memory when it is first used.
 */
#ifndef DFT_SPOOL_FORMAT_H
#define DFT_SPOOL_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define DFT_SPOOL_MAGIC "dftspool"
#define DFT_SPOOL_VERSION 7u
#define DFT_SPOOL_OLDEST 5u /* can still be read: it has none of what 6 and 7 added */

#ifndef DFT_CHUNK_SIZE /* tests/model has smaller ones */
#define DFT_CHUNK_SIZE (64u << 10)
#endif
#define DFT_KEEP_SIZE (64u << 20) /* of free chunks that stay in memory */
#define DFT_CHUNK_RECORDS (DFT_CHUNK_SIZE / sizeof(struct dft_record))
#ifndef DFT_THREAD_SIZE
#define DFT_THREAD_SIZE (32u << 10)
#endif
#define DFT_SITE_BUCKETS 65536u
#define DFT_SITE_MAX (1u << 20)
#define DFT_SITE_TEXT_MAX (256u << 20)
#define DFT_THREAD_MAX 16384u
#define DFT_SEGMENT_MAX 65536u
#define DFT_THROTTLED_MAX 512u /* throttled sites */

/*
 * One ended call, or the beginning of a longer record. `site` counts from 1. With
 * DFT_RECORD_EXTENDED set, `site` has the kind of the record and the number of 16-byte units that
 * follow.
 *
 * Free chunks are all zero. A thread moves its `next` over a record, fills it and writes `site`
 * last. A record whose `site` is 0 is unused, or not filled yet; then an open frame names it.
 */
struct dft_record {
    uint64_t start;    /* ticks */
    uint32_t duration; /* ticks */
    uint32_t site;
};

#define DFT_RECORD_EXTENDED 0x80000000u
#define DFT_RECORD_KIND(site) (((site) >> 16) & 0x7fffu)
#define DFT_RECORD_UNITS(site) ((site)&0xffffu)
#define DFT_RECORD_MAKE(kind, units) (DFT_RECORD_EXTENDED | (uint32_t)(kind) << 16 | (units))

enum dft_record_kind {
    DFT_RECORD_LONG = 1,     /* one unit follows: struct dft_record_long */
    DFT_RECORD_ATTACHED = 2, /* that unit, then struct dft_record_more with the attachments */
    DFT_RECORD_OPEN = 3,     /* a struct dft_record with nothing but a start for each open call */
    DFT_RECORD_INSTANT = 4,  /* as ATTACHED, but no call: an event at `start`, see below */
};

/*
 * Units after the first have a 0 where a record has its site. So a reader that walks over them unit
 * by unit, while the first is not complete, finds no call in them.
 */

/* A call of 2^32 ticks or more, or with attachments: its start is in the unit before. */
struct dft_record_long {
    uint64_t duration;
    uint32_t site;
    uint32_t none; /* 0 */
};

/*
 * Events that are no calls have the layout of DFT_RECORD_ATTACHED. Their site is the entry of their
 * name in the site table, with DFT_SITE_EVENT; 0: the name is attached (DFT_ATTACHMENT_NAME).
 */

#define DFT_MORE_SIZE 12u
struct dft_record_more {
    unsigned char bytes[DFT_MORE_SIZE];
    uint32_t none; /* 0 */
};

/*
 * What an event records besides its time: kind, length, that many bytes, and padding to a multiple
 * of 4. Attachments follow each other; a kind of 0 ends them, where there is room for one.
 */
struct dft_attachment {
    uint16_t kind; /* enum dft_attachment_kind */
    uint16_t length;
};

enum dft_attachment_kind {
    DFT_ATTACHMENT_SAMPLE = 1,    /* processor time and memory: struct dft_sample */
    DFT_ATTACHMENT_ARGUMENTS = 2, /* their values, see values.h */
    DFT_ATTACHMENT_RESULT = 3,    /* its value; only where the call has returned */
    DFT_ATTACHMENT_NAME = 4,      /* of an event for which the site table has no entry */
    DFT_ATTACHMENT_HEAP = 8,      /* what it allocated: struct dft_heap_sample */
    DFT_ATTACHMENT_ADDED = 9,     /* by the writer, never in a spool: struct dft_added */
};

/* DFT_ATTACHMENT_SAMPLE. All but memory, which is the process's, is of the calling thread. */
struct dft_sample {
    uint64_t cpu_start_ns; /* processor time that the thread had used when the call began */
    uint64_t cpu_ns;       /* and that the call has used */
    uint64_t rss_kb;       /* resident at the end; 0: unknown */
    int64_t rss_delta_kb;
    uint64_t peak_rss_kb; /* of the process so far; 0: unknown */
    uint32_t minor_faults, major_faults;
    uint32_t voluntary_switches, involuntary_switches;
};

/* DFT_ATTACHMENT_HEAP. By the calling thread. */
struct dft_heap_sample {
    uint64_t bytes;
    uint64_t count;
};

/* DFT_ATTACHMENT_ADDED. The time of calls inside that have no event of their own. */
struct dft_added {
    int64_t ns;
    uint64_t estimated; /* some of them were counted, not timed */
};

/* All attachments of one call. */
#define DFT_ATTACHMENTS_MAX (85 * DFT_MORE_SIZE)

/* A call that has not ended. `start` is 0 while the slot is free or being filled. */
struct dft_frame {
    uint64_t start;
    uint64_t stack;  /* stack address in the hook, and where the hook was called from: */
    uint64_t caller; /* they identify frames that longjmp has left behind */
    uint32_t site;
    uint32_t record; /* DFT_FRAME_RECORD of the record that its exit is about to take or fill */
};

/* Enough of a record's address to identify it among those of its thread. */
#define DFT_FRAME_RECORD(address) ((uint32_t)(address))

/* Index, in the chunk that begins at `first`, of the record that a frame names; too large: none. */
#define DFT_FRAME_RECORD_INDEX(frame, first)                                                       \
    (((frame)->record - DFT_FRAME_RECORD(first)) / (uint32_t)sizeof(struct dft_record))

enum dft_thread_state {
    DFT_THREAD_FREE,
    DFT_THREAD_CLAIMED, /* being filled in by the thread that took it */
    DFT_THREAD_LIVE,
    DFT_THREAD_ENDED, /* the writer frees it once its last chunk is on disk */
};

/*
 * One thread. The first line is the hot path's and is written by the owning thread only. Pointers
 * are the traced process's own; a reader subtracts the header's `base`.
 */
struct dft_thread {
    struct dft_record *next;  /* the first record that is not taken */
    struct dft_record *end;   /* end of the open chunk */
    struct dft_frame *top;    /* one past the innermost open frame */
    struct dft_frame *limit;  /* end of frames[] */
    struct dft_record *first; /* begin of the open chunk */
    uint32_t chunk;           /* number of the open chunk */
    uint32_t oldest;          /* number of the first chunk that the writer has not freed */
    uint64_t deep;            /* open calls for which frames[] had no room, or that are too deep */
    uint64_t dropped;         /* calls lost because the spool was full */

    _Atomic uint32_t state; /* enum dft_thread_state */
    int32_t tid;
    uint64_t started; /* ticks */
    uint64_t ended;   /* ticks, once the state is ENDED */
    char name[16];
    uint8_t stuck; /* waited for a chunk in vain: waits only shortly from now on */
    uint8_t cut;   /* `limit` is DFTRACER_MAX_DEPTH: deeper calls are omitted and counted */
    uint8_t lent;  /* its open chunk is lent to the writer */
    uint8_t reserved;
    uint32_t pending_commit; /* its end is in the file once `commit` has got there; 0: not yet */
    uint64_t omitted;        /* omitted calls: deeper than DFTRACER_MAX_DEPTH */
    uint64_t *counts;        /* of its slot, one for each throttled sites; NULL: there are none */

    struct dft_frame frames[]; /* frames[0] is a sentinel that no call matches */
};

#define DFT_THREAD_FRAMES ((DFT_THREAD_SIZE - sizeof(struct dft_thread)) / sizeof(struct dft_frame))

enum dft_chunk_state {
    DFT_CHUNK_FREE,
    DFT_CHUNK_OPEN, /* its owner appends to it */
    DFT_CHUNK_FULL, /* the writer's; freed with the commit that covers it */
    DFT_CHUNK_LENT, /* as FULL, but its owner waits for it: wiped and set to OPEN after that commit */
};

/*
 * Directory entry of one chunk. Its records belong to the file as soon as the header's `commit` has
 * reached `pending_commit`: that one store commits a whole batch of chunks together with the bytes
 * that were appended to the file, so a writer that is killed neither loses nor repeats any. It goes
 * back to 0 only when the chunk has been wiped, or by a later writer that finds it ahead of
 * `commit`.
 */
struct dft_chunk {
    _Atomic uint32_t state;     /* enum dft_chunk_state */
    uint32_t thread;            /* slot of its owner */
    uint32_t next;              /* number + 1 of its owner's next chunk; valid once FULL */
    _Atomic uint32_t used;      /* no record begins after this many bytes; 0: not known */
    uint32_t done;              /* bytes that an earlier commit covers */
    uint32_t pending;           /* bytes that the commit `pending_commit` covers */
    uint32_t pending_commit;    /* 0: in no commit */
    _Atomic uint32_t next_free; /* number + 1 of the next free chunk */
};

/* One entry of the site text region; `text` is the site's strings as abi.h has them. */
struct dft_site_entry {
    uint32_t next; /* id of the next site in this hash bucket */
    uint32_t hash;
    uint32_t line;
    uint32_t flags;
    uint32_t module;        /* id of the entry that describes its module; 0: not known */
    uint32_t length;        /* of text, with its last NUL */
    _Atomic uint32_t style; /* how its calls are written: bits of enum dft_site_style */
    char text[];
};

enum dft_site_style {
    DFT_STYLE_AGGREGATED = 1, /* count, sum, minimum and maximum in each interval */
    DFT_STYLE_THROTTLED = 2, /* throttled: the same from some moment on, see struct dft_throttled */
};

/* With its number there. */
#define DFT_STYLE_THROTTLED_AS(index) (DFT_STYLE_THROTTLED | (uint32_t)(index) << 16)
#define DFT_STYLE_INDEX(style) ((style) >> 16)

/*
 * A throttled site: from some moment on its calls are counted, because recording each of them would
 * exceed the budget. It has an index in this table and in the counts of every thread. There the
 * lower 48 bits count its calls. The upper 16 bits grow by the site's step with each call and
 * overflow in one of 85 to 126 calls: that call is recorded like any other, and is not counted
 * again. Steps are odd and large, so that periodic patterns of calls are sampled evenly. They differ
 * from site to site, so that the sampled calls of a function are independent of those inside.
 */
struct dft_throttled {
    uint32_t site;
    uint32_t step;      /* DFT_COUNT_STEP of its number; 0: DFT_COUNT_STEP_FIRST, as for all once */
    uint64_t since;     /* ticks; 0: since before this process began, in which it was forked */
    uint64_t calls;     /* of its calls before, how many were looked at, */
    uint64_t ticks;     /* how long they took, */
    uint64_t window_ns; /* and what their thread had used of a processor meanwhile */
    uint64_t timed;     /* by the writer: its calls since then that are in the file, */
    uint64_t timed_ns;  /* and how long they took */
};

#define DFT_COUNT_STEP_FIRST 521
#define DFT_COUNT_STEP_GROWTH 4
#define DFT_COUNT_STEPS 64
#define DFT_COUNT_STEP(index)                                                                      \
    (DFT_COUNT_STEP_FIRST + (index) % DFT_COUNT_STEPS * DFT_COUNT_STEP_GROWTH)
#define DFT_COUNT_ONE(step) ((uint64_t)(step) << 48 | 1) /* what a call adds */
#define DFT_COUNT_CALLS(count) ((count)&UINT64_C(0x0000ffffffffffff))
#define DFT_COUNT_TIMED(count, step) (DFT_COUNT_CALLS(count) * (step) >> 16)
#define DFT_COUNT_UNTIMED(count, step) (DFT_COUNT_CALLS(count) - DFT_COUNT_TIMED(count, step))

/* A flag of entries that are no sites but modules: their names are the path and the build id. */
#define DFT_SITE_MODULE 0x80000000u

/* A flag of the two sites in `own_sites`: their records are no calls of the program. */
#define DFT_SITE_OWN 0x40000000u

/* A flag of entries that are no functions but names of events. */
#define DFT_SITE_EVENT 0x20000000u

/* Event names in the site table: more would take the room that functions need. */
#define DFT_EVENT_NAMES_MAX 65536u

/* Bytes of a name; longer ones are cut. */
#define DFT_EVENT_NAME_SIZE 1000u

/* What the runtime itself does in a traced thread, recorded like a call where it takes long. */
enum dft_own_site {
    DFT_OWN_WAIT, /* waiting for the writer to free a chunk or a slot */
    DFT_OWN_WORK, /* opening a chunk, resolving a function: anything that takes 1 us or more */
    DFT_OWN_SITES,
};

/* One moment on both clocks. */
struct dft_anchor {
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
};

/*
 * A piece of the conversion from ticks to nanoseconds: from `ticks` on, a tick lasts
 * rate / 2^DFT_CLOCK_FRACTION ns, fine enough for a day. The writer keeps all of them in the spool,
 * so that another one converts alike.
 */
#define DFT_CLOCK_FRACTION 44
struct dft_clock_segment {
    uint64_t ticks;
    uint64_t ns;
    uint64_t rate;
};

enum dft_clock_kind {
    DFT_CLOCK_MONOTONIC, /* ticks are CLOCK_MONOTONIC nanoseconds */
    DFT_CLOCK_COUNTER,   /* ticks of the invariant TSC or of cntvct_el0 */
};

enum dft_spool_state {
    DFT_SPOOL_STARTING, /* being filled in; there is no call yet */
    DFT_SPOOL_RUNNING,
    DFT_SPOOL_STOPPING, /* `ended` holds; the writer finishes the trace */
    DFT_SPOOL_FINISHED, /* the trace is complete; nothing more is taken */
};

/* A request for a snapshot of the trace while the program runs. */
enum dft_show {
    DFT_SHOW_DONE,
    DFT_SHOW_ASKED, /* by the process; the writer answers by one of the others */
    DFT_SHOW_FAILED,
};

enum dft_trace_format {
    DFT_FORMAT_JSON, /* also in spools from before there were others */
    DFT_FORMAT_DFTRACER,
};

/* The options that the writer needs: it never reads the environment. */
struct dft_spool_settings {
    char prefix[1024]; /* absolute: the program may change its directory */
    uint64_t member_size;
    uint8_t compression;
    uint8_t metadata;
    uint8_t disable_tids;
    uint8_t drop_when_full;
    uint8_t thread_counters;
    uint8_t system_counters;
    uint8_t aggregate_all;
    uint8_t format;               /* enum dft_trace_format */
    uint32_t counter_interval_ms; /* 0: no counters */
    uint32_t budget;              /* thousandths of a percent of the CPU time; 0: no limit */
    uint64_t min_duration_ns;     /* shorter calls are aggregated */
};

/* What the process has used, all its threads together, at one moment. */
struct dft_process_usage {
    uint64_t monotonic_ns; /* 0: nobody has looked */
    uint64_t user_us, system_us;
    uint64_t rss_kb, peak_rss_kb, threads; /* 0: unknown */
    uint64_t minor_faults, major_faults;
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t read_bytes, write_bytes; /* by read, write and similar calls */
    uint64_t storage_read_bytes, storage_write_bytes;
    uint32_t has_switches, has_io;
};

/*
 * The trace file. The path is set before the file is made, device and inode after that. A writer
 * that finds a path without an inode may remove an empty file of that name.
 */
struct dft_spool_trace {
    char path[1400];
    uint64_t device;
    uint64_t inode;
};

/* What became of the program's calls. Dropped and omitted: of threads whose end is in the trace. */
struct dft_totals {
    uint64_t events;     /* in the trace */
    uint64_t dropped;    /* the spool had no room for them */
    uint64_t lost;       /* recorded, but could not be written */
    uint64_t aggregated; /* of the events, those that have no line of their own */
    uint64_t omitted;    /* nested deeper than DFTRACER_MAX_DEPTH */
};

/* What one commit makes final. */
struct dft_commit {
    uint64_t size; /* of the trace file */
    struct dft_totals totals;
    uint64_t ticks;      /* the latest that was converted */
    uint32_t main_named; /* the main thread's name is in the file */
    uint32_t complete;   /* nothing follows */
    uint64_t
        described : 24;  /* sites whose description is in the file: so many, from the first on */
    uint64_t index : 40; /* events of all kinds in the file */
    uint64_t throttled;  /* throttled sites whose event is in the file */
};

struct dft_region {
    uint64_t offset;
    uint64_t size;
};

struct dft_spool_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint64_t file_size;
    uint64_t base; /* where the traced process maps the file */
    struct dft_region directory, site_index, site_hash, site_text, segments, throttled, threads,
        counts, chunks;
    uint32_t chunk_limit; /* as many as the options allow; one for each thread comes on top */
    uint32_t chunk_max;   /* room in the file */
    uint32_t clock;       /* enum dft_clock_kind */
    uint32_t chunk_keep;  /* so many keep their memory when they are free */

    int32_t pid, ppid;
    uint64_t pid_space; /* inode of the pid namespace that `pid` is from; 0: unknown */
    uint64_t born;      /* start of the process, as /proc has it: pids are used again */
    char boot[40];      /* the kernel's boot id */
    struct dft_anchor started;
    char app[64];
    char host[64];
    char exe[512];
    char directory_name[512];
    char command[2048];
    struct dft_spool_settings settings;
    struct dft_spool_trace trace;
    int32_t host_pid;         /* process that runs the writer */
    _Atomic uint32_t show;    /* enum dft_show */
    int64_t rank, rank_count; /* of a parallel program: -1: none; 0: unknown */
    char cores[128];          /* that the process may run on, as "0-3,8"; empty: not asked for */
    uint64_t sample_cost_ns;  /* of both ends of a call; 0: not measured */
    uint32_t call_cost_ns;    /* of a recorded call, hooks and writer; 0: not measured */
    uint32_t count_cost_ns;   /* and of a counted one */
    struct dft_process_usage at_begin, at_end; /* of the session, by the process itself */

    _Alignas(64) _Atomic uint64_t free_chunks; /* tag << 32 | number + 1 of the first free chunk */
    _Atomic uint32_t chunk_count;              /* chunks that were ever used */
    _Atomic uint32_t waiting;                  /* threads that wait for a free chunk */
    _Atomic uint32_t opened;                   /* counts chunks that threads have opened */
    _Atomic uint32_t failing; /* the trace cannot be written at the moment: nobody waits for it */
    _Atomic uint64_t cold_chunks; /* as free_chunks, of those without memory */

    _Alignas(64) _Atomic uint32_t thread_count; /* slots that were ever used */
    _Atomic uint32_t ended_threads;             /* those that wait for the writer to free them */
    _Atomic uint32_t site_lock;
    _Atomic uint32_t site_count;
    _Atomic uint32_t site_text_used;
    _Atomic uint64_t lost_sites; /* sites for which the table had no room */
    _Atomic uint32_t throttled_count;
    _Atomic uint32_t styled;           /* there is a site with a style */
    uint32_t own_sites[DFT_OWN_SITES]; /* by enum dft_own_site; 0: none */

    _Alignas(64) _Atomic uint32_t wake; /* futex word: counts reasons for the writer to look */
    _Atomic uint32_t asleep;            /* the writer waits on `wake` */
    _Atomic uint32_t state;             /* enum dft_spool_state */
    _Atomic uint32_t write_error;       /* errno of the last write that failed; 0: none has */
    uint64_t ended;                     /* ticks */
    _Atomic uint32_t freed;             /* futex word: counts reasons for waiting threads to look */

    _Alignas(64) _Atomic uint32_t commit; /* number of the last commit */
    _Atomic uint32_t anchor_count;
    _Atomic uint32_t segment_count;
    struct dft_commit committed[2]; /* by parity of `commit` */
    struct dft_anchor latest[2];    /* by parity of `anchor_count`; 0 of them: none */
};

_Static_assert(sizeof(struct dft_record) == 16, "a record is 16 bytes");
_Static_assert(sizeof(struct dft_record_long) == 16, "extended records come in 16-byte units");
_Static_assert(sizeof(struct dft_record_more) == 16, "extended records come in 16-byte units");
_Static_assert(sizeof(struct dft_attachment) == 4, "attachment layout");
_Static_assert(sizeof(struct dft_sample) == 56, "sample layout");
_Static_assert(sizeof(struct dft_heap_sample) == 16, "sample layout");
_Static_assert(sizeof(struct dft_added) == 16, "attachment layout");
_Static_assert(sizeof(struct dft_frame) == 32, "frame layout");
_Static_assert(sizeof(struct dft_thread) == 128, "thread layout");
_Static_assert(sizeof(struct dft_chunk) == 32, "directory layout");
_Static_assert(sizeof(struct dft_clock_segment) == 24, "segment layout");
_Static_assert(sizeof(struct dft_site_entry) == 28, "site entry layout");
_Static_assert(sizeof(struct dft_throttled) == 56, "throttled sites layout");
_Static_assert(sizeof(struct dft_commit) == 80, "commit layout");
_Static_assert(sizeof(struct dft_spool_header) <= 8192, "the header fits its region");

#endif
