/*
 * The spool's format: the contract between hooks and writer.
 *
 * A spool is one file that the traced process maps as shared memory, so it survives the process
 * however the process dies. Hooks append to the spool without a lock and without a system call. The
 * writer runs in the same process, in its parent, or in a later process, and needs nothing but the
 * spool. Every change of the format increases DFT_SPOOL_VERSION. docs/INTERNALS.md explains the
 * design.
 *
 *   header | chunk directory | site index | site hash | site text | clock | throttled sites |
 *   thread slots | counts | chunks
 *
 * All regions except the header are sparse: a page takes memory only once it is used.
 */
#ifndef DFT_SPOOL_FORMAT_H
#define DFT_SPOOL_FORMAT_H

#include "dftrace/abi.h"

#include <stdatomic.h>
#include <stdint.h>

#define DFT_SPOOL_MAGIC "dftspool"
#define DFT_SPOOL_VERSION 8u
#define DFT_SPOOL_OLDEST 5u /* the oldest readable version; lacks what 6, 7 and 8 added */

#ifndef DFT_CHUNK_SIZE /* tests/model uses a smaller size */
#define DFT_CHUNK_SIZE (64u << 10)
#endif
#define DFT_KEEP_SIZE (64u << 20) /* chunks below this offset keep their memory when free */
#define DFT_CHUNK_RECORDS (DFT_CHUNK_SIZE / sizeof(struct dft_record))
#ifndef DFT_THREAD_SIZE
#define DFT_THREAD_SIZE (32u << 10)
#endif
#define DFT_SITE_BUCKETS 65536u
#define DFT_SITE_MAX (1u << 20)
#define DFT_SITE_TEXT_MAX (256u << 20)
#define DFT_THREAD_MAX 16384u
#define DFT_SEGMENT_MAX 65536u
#define DFT_THROTTLED_MAX 512u /* limit of throttled sites */

/*
 * One ended call. Site numbers begin at 1. If DFT_RECORD_EXTENDED is set, `site` is not a site but
 * a kind and a number of further 16-byte units that belong to the record.
 *
 * Free chunks are all zero. A thread takes a record by moving its `next` past it, fills the record,
 * and writes `site` last. A record whose `site` is 0 is no call: the record is unused or not yet
 * filled. If it is not yet filled, an open frame refers to it.
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
    DFT_RECORD_LONG = 1,     /* followed by one struct dft_record_long */
    DFT_RECORD_ATTACHED = 2, /* as LONG, then units of struct dft_record_more */
    DFT_RECORD_OPEN = 3,     /* followed by a struct dft_record with the start of each open call */
    /* As ATTACHED, but an event at `start`, not a call: */
    DFT_RECORD_INSTANT = 4,
    DFT_RECORD_COUNTER = 5,  /* `duration` of the second unit is the value, of the first its type */
    DFT_RECORD_FLOW = 6,     /* `duration` of the second unit is the id, of the first the phase */
    DFT_RECORD_METADATA = 7, /* the attachment DFT_ATTACHMENT_FIELDS has a key and a value */
    DFT_RECORD_THREAD_NAME = 8, /* the event's name is from now on that of the thread */
};

/*
 * All units after the first have 0 where a record has its site. So as long as the first unit is
 * incomplete, a reader that goes from unit to unit finds no call in them.
 */

/*
 * Second unit of a call that has attachments or takes 2^32 ticks or more. The unit before has the
 * start.
 */
struct dft_record_long {
    uint64_t duration;
    uint32_t site;
    uint32_t none; /* 0 */
};

/*
 * An event that is not a call has the layout of DFT_RECORD_ATTACHED. Its site is the number of its
 * name's entry in the site table (flag DFT_SITE_EVENT), or 0 if the name is an attachment
 * (DFT_ATTACHMENT_NAME).
 */

#define DFT_MORE_SIZE 12u
struct dft_record_more {
    unsigned char bytes[DFT_MORE_SIZE];
    uint32_t none; /* 0 */
};

/*
 * Header of an attachment, which is what a call records besides its time. `length` bytes follow,
 * padded to a multiple of 4. The attachments of a call follow each other. They end with a kind of
 * 0, or where no header fits any more.
 */
struct dft_attachment {
    uint16_t kind; /* enum dft_attachment_kind */
    uint16_t length;
};

enum dft_attachment_kind {
    DFT_ATTACHMENT_SAMPLE = 1,    /* CPU time and memory of the call: struct dft_sample */
    DFT_ATTACHMENT_ARGUMENTS = 2, /* argument values, see values.h */
    DFT_ATTACHMENT_RESULT = 3,    /* value of the result, if the call has returned */
    DFT_ATTACHMENT_NAME = 4,      /* name of an event that has no entry in the site table */
    DFT_ATTACHMENT_FIELDS = 5,    /* values that the program has given an event, see fields.h */
    DFT_ATTACHMENT_HEAP = 8,      /* allocations of the call: struct dft_heap_sample */
    DFT_ATTACHMENT_ADDED = 9,     /* made by the writer, never in a spool: struct dft_added */
    DFT_ATTACHMENT_START = 10,    /* the same: the call's true start in ns, see writer/ties.c */
};

/*
 * DFT_ATTACHMENT_SAMPLE. Memory is that of the process, everything else that of the calling thread.
 */
struct dft_sample {
    uint64_t cpu_start_ns; /* the thread's CPU time when the call began */
    uint64_t cpu_ns;       /* the call's CPU time */
    uint64_t rss_kb;       /* resident memory at the end; 0: unknown */
    int64_t rss_delta_kb;
    uint64_t peak_rss_kb; /* of the process so far; 0: unknown */
    uint32_t minor_faults, major_faults;
    uint32_t voluntary_switches, involuntary_switches;
};

/* DFT_ATTACHMENT_HEAP. Allocations by the calling thread. */
struct dft_heap_sample {
    uint64_t bytes;
    uint64_t count;
};

/* DFT_ATTACHMENT_ADDED. Time of those calls inside this one that have no event of their own. */
struct dft_added {
    int64_t ns;
    uint64_t estimated; /* not 0: some of these calls were counted, not timed */
};

/* Size limit of all attachments of one call together. */
#define DFT_ATTACHMENTS_MAX (85 * DFT_MORE_SIZE)

/*
 * A call that has not ended. `start` is 0 while the frame is free or being filled. `stack` and
 * `caller` show whether longjmp has abandoned the call.
 */
struct dft_frame {
    uint64_t start;
    uint64_t stack;  /* stack address in the enter hook */
    uint64_t caller; /* return address of the enter hook; see also finstrument_hooks.c */
    uint32_t site;
    uint32_t record; /* DFT_FRAME_RECORD of the record that the exit hook takes or fills; 0: none */
};

/*
 * Enough of a record's address to distinguish the records of one thread. In a frame, 0 means that
 * the frame has no record. So dft_spool_create tries to map the spool at an address where every
 * record has another number than 0.
 */
#define DFT_FRAME_RECORD(address) ((uint32_t)(address))

/*
 * Index of the frame's record in the chunk that begins at `first`. DFT_CHUNK_RECORDS or more if the
 * record is not in that chunk.
 */
#define DFT_FRAME_RECORD_INDEX(frame, first)                                                       \
    (((frame)->record - DFT_FRAME_RECORD(first)) / (uint32_t)sizeof(struct dft_record))

enum dft_thread_state {
    DFT_THREAD_FREE,
    DFT_THREAD_CLAIMED, /* its new owner is initializing it */
    DFT_THREAD_LIVE,
    DFT_THREAD_ENDED, /* the writer frees it once its last chunk is in the trace file */
};

enum dft_thread_naming {
    DFT_NAMED_BY_KERNEL,
    DFT_NAMED_BY_PROGRAM,
    DFT_NAMED_TRACK, /* the slot is a track of the program, not a thread */
};

/*
 * A track of the program is recorded like a thread that never runs: it has a slot, frames and
 * chunks, and a lock lets one thread at a time write to them. Its tid is not one of the kernel's:
 * it is this number plus the number of the track's entry in the site table. That entry has the
 * track's name, its path ("GPU 0/copy queue") as linkage name, and as line the number of its
 * parent's entry, or 0.
 */
#define DFT_TRACK_TID 0x40000000

/*
 * The slot of one thread. The hot path uses the first cache line, which only the owning thread
 * writes. Pointers are addresses in the traced process; a reader subtracts the header's `base`.
 */
struct dft_thread {
    struct dft_record *next;  /* the first record that is not taken */
    struct dft_record *end;   /* end of the open chunk */
    struct dft_frame *top;    /* one past the innermost open frame */
    struct dft_frame *limit;  /* end of frames[] */
    struct dft_record *first; /* start of the open chunk */
    uint32_t chunk;           /* number of the open chunk */
    uint32_t oldest;          /* number of the oldest chunk that the writer has not freed */
    uint64_t deep;            /* open calls for which frames[] has no room */
    uint64_t dropped;         /* calls not recorded, mostly because the spool was full */

    _Atomic uint32_t state; /* enum dft_thread_state */
    int32_t tid;
    uint64_t started; /* ticks */
    uint64_t ended;   /* ticks, once the state is ENDED */
    union {
        char name[16];  /* NAMED_BY_KERNEL */
        uint32_t label; /* else the number of its name's entry in the site table */
    };
    uint8_t stuck;           /* the last wait for a chunk failed: the next one is short */
    uint8_t cut;             /* `limit` is from DFTRACER_MAX_DEPTH: deeper calls are omitted */
    uint8_t lent;            /* the thread has lent its open chunk and not yet noticed its return */
    uint8_t naming;          /* enum dft_thread_naming */
    uint32_t pending_commit; /* the commit that contains the thread's end; 0: none yet */
    uint64_t omitted;        /* calls deeper than DFTRACER_MAX_DEPTH */
    uint64_t *counts;        /* counts of this slot, one per throttled site; NULL: none */

    struct dft_frame frames[]; /* frames[0] is a sentinel, not a call */
};

#define DFT_THREAD_FRAMES ((DFT_THREAD_SIZE - sizeof(struct dft_thread)) / sizeof(struct dft_frame))

enum dft_chunk_state {
    DFT_CHUNK_FREE,
    DFT_CHUNK_OPEN, /* its owner appends records */
    DFT_CHUNK_FULL, /* belongs to the writer, which frees it after its commit */
    DFT_CHUNK_LENT, /* lent to the writer, which wipes it after its commit and sets OPEN */
};

/*
 * Directory entry of one chunk. The chunk's records belong to the trace file as soon as the
 * header's `commit` has reached `pending_commit`. That single store commits a whole batch of chunks
 * together with the bytes that were appended to the file, so a writer that is killed neither loses
 * nor repeats a record. `pending_commit` is reset to 0 only after the chunk has been wiped, or by a
 * later writer that finds a number above `commit`.
 */
struct dft_chunk {
    _Atomic uint32_t state;     /* enum dft_chunk_state */
    uint32_t thread;            /* slot of its owner */
    uint32_t next;              /* number + 1 of its owner's next chunk; 0: none; valid once FULL */
    _Atomic uint32_t used;      /* nothing was written after this many bytes; 0: unknown */
    uint32_t reserved[2];       /* old writers have stored something here; not read */
    uint32_t pending_commit;    /* 0: in no commit */
    _Atomic uint32_t next_free; /* number + 1 of the next free chunk */
};

/*
 * One entry of the site text region. `text` has the site's strings in the order of abi.h. Behind
 * them, an entry with DFTRACE_SITE_GUEST in its flags has those of enum dft_guest_text. Readers that
 * do not know of these ignore them.
 */
struct dft_site_entry {
    uint32_t next; /* id of the next site in this hash bucket */
    uint32_t hash;
    uint32_t line;
    uint32_t flags;
    uint32_t module;        /* number of its module's entry; 0: unknown */
    uint32_t length;        /* of `text`, including the last NUL */
    _Atomic uint32_t style; /* how its calls are written: bits of enum dft_site_style */
    char text[];
};

enum dft_guest_text {
    DFT_GUEST_MODULE = DFTRACE_TEXT_COUNT, /* in the interpreted language: "json.decoder" */
    DFT_GUEST_LANGUAGE,                    /* "python" */
    DFT_GUEST_STACK_SIZE,                  /* values on the function's stack, in decimal */
    DFT_GUEST_TEXT_COUNT,
};

enum dft_site_style {
    DFT_STYLE_AGGREGATED = 1, /* number, total, minimum and maximum per interval */
    DFT_STYLE_THROTTLED = 2,  /* aggregated since some moment: see struct dft_throttled */
};

/* DFT_STYLE_THROTTLED with the site's index in the table of throttled sites. */
#define DFT_STYLE_THROTTLED_AS(index) (DFT_STYLE_THROTTLED | (uint32_t)(index) << 16)
#define DFT_STYLE_INDEX(style) ((style) >> 16)

/*
 * A throttled site: since some moment its calls are counted, because recording all of them would
 * exceed the budget. Its index in this table is also its index in the counts of every thread. The
 * lower 48 bits of a count are the number of calls. The upper 16 bits grow by the site's step with
 * each call and overflow at one call in 85 to 126. That call is recorded like any other, so readers
 * must not count it twice. Steps are odd and large: if calls follow a periodic pattern, calls from
 * every position of the pattern are timed. Steps differ between sites, so that whether a call is
 * timed does not depend on whether its caller is timed.
 */
struct dft_throttled {
    uint32_t site;
    uint32_t step;      /* DFT_COUNT_STEP of its index; 0 (old spools): DFT_COUNT_STEP_FIRST */
    uint64_t since;     /* ticks; 0: throttled already when this process was forked */
    uint64_t calls;     /* how many of its calls were measured before `since` */
    uint64_t ticks;     /* how long the measured calls took */
    uint64_t window_ns; /* CPU time of their thread during the measurement */
    uint64_t timed;     /* set by the writer: how many calls in the file began after `since` */
    uint64_t timed_ns;  /* set by the writer: how long these calls took */
};

#define DFT_COUNT_STEP_FIRST 521
#define DFT_COUNT_STEP_GROWTH 4
#define DFT_COUNT_STEPS 64
#define DFT_COUNT_STEP(index)                                                                      \
    (DFT_COUNT_STEP_FIRST + (index) % DFT_COUNT_STEPS * DFT_COUNT_STEP_GROWTH)
#define DFT_COUNT_ONE(step) ((uint64_t)(step) << 48 | 1) /* what one call adds to a count */
#define DFT_COUNT_CALLS(count) ((count)&UINT64_C(0x0000ffffffffffff))
#define DFT_COUNT_TIMED(count, step) (DFT_COUNT_CALLS(count) * (step) >> 16)
#define DFT_COUNT_UNTIMED(count, step) (DFT_COUNT_CALLS(count) - DFT_COUNT_TIMED(count, step))

/*
 * A flag of entries that describe a module, not a function: the names are the path and the build
 * id.
 */
#define DFT_SITE_MODULE 0x80000000u

/*
 * A flag of the two sites in `own_sites`: their records are own work and waits, not calls of the
 * program.
 */
#define DFT_SITE_OWN 0x40000000u

/*
 * A flag of entries that are names of events, keys or tracks, not functions. The types of a
 * counter's entry are its unit.
 */
#define DFT_SITE_EVENT 0x20000000u

/*
 * Categories of such entries: the name of a file, to which fields refer (DFT_FIELD_NAME), and a key
 * that the runtime itself gives a value, so that it takes precedence over a call's other args.
 */
#define DFT_FILE_CATEGORY "dftrace:file"
#define DFT_KEY_CATEGORY "dftrace:key"

/* Limit of event names in the site table, so that there is room for functions. */
#define DFT_EVENT_NAMES_MAX 65536u

/* Bytes of an event name; longer names are cut. */
#define DFT_EVENT_NAME_SIZE 1000u

/* What the runtime itself does in a traced thread. It is recorded like a call if it takes long. */
enum dft_own_site {
    DFT_OWN_WAIT, /* waiting for the writer to free a chunk or a slot */
    DFT_OWN_WORK, /* opening a chunk, resolving a function: anything that takes 1 us or more */
    DFT_OWN_SITES,
};

/* One moment on several clocks. */
struct dft_anchor {
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
};

/*
 * One segment of the conversion from ticks to nanoseconds: from `ticks` on, a tick lasts rate /
 * 2^DFT_CLOCK_FRACTION ns, which is precise enough for a day. The writer stores all segments in the
 * spool, so that a later writer converts in the same way.
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
    DFT_SPOOL_STARTING, /* being initialized; there is no call yet */
    DFT_SPOOL_RUNNING,
    DFT_SPOOL_STOPPING, /* `ended` is valid; the writer completes the trace */
    DFT_SPOOL_FINISHED, /* the trace is complete; the writer reads no more records */
};

/* State of a request for a snapshot (`dftrace ctl PID flush`). */
enum dft_show {
    DFT_SHOW_DONE,
    DFT_SHOW_ASKED, /* set by the traced process; the writer replies DONE or FAILED */
    DFT_SHOW_FAILED,
};

/*
 * Output formats: X(CONSTANT, name). DFT_FORMAT_CONSTANT is the format's number in a spool, `name`
 * its name in DFTRACER_FORMAT, and dft_encoder_name its encoder. New formats are added at the end,
 * so that numbers in existing spools stay valid. Spools that are older than this field have 0.
 */
#define DFT_TRACE_FORMATS(X)                                                                       \
    X(JSON, json)                                                                                  \
    X(DFTRACER, dftracer)                                                                          \
    X(PERFETTO, perfetto)

#define DFT_CONSTANT(constant, name) DFT_FORMAT_##constant,
enum dft_trace_format { DFT_TRACE_FORMATS(DFT_CONSTANT) DFT_FORMATS };
#undef DFT_CONSTANT

/* The options that the writer needs: it never reads the environment. */
struct dft_spool_settings {
    char prefix[1024]; /* absolute, since the program may change its directory */
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
    uint32_t budget;              /* of the CPU time, in thousandths of a percent; 0: none */
    uint64_t min_duration_ns;     /* shorter calls are aggregated */
};

/* Resource usage of the process, all threads together, up to one moment. */
struct dft_process_usage {
    uint64_t monotonic_ns; /* 0: not measured */
    uint64_t user_us, system_us;
    uint64_t rss_kb, peak_rss_kb, threads; /* 0: unknown */
    uint64_t minor_faults, major_faults;
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t read_bytes, write_bytes; /* by read, write and related system calls */
    uint64_t storage_read_bytes, storage_write_bytes;
    uint32_t has_switches, has_io;
};

/*
 * The trace file. The path is stored before the file is created, device and inode afterwards. So if
 * a writer finds a path without device and inode, an empty file with that path belongs to this
 * spool.
 */
struct dft_spool_trace {
    char path[1400];
    uint64_t device;
    uint64_t inode;
};

/*
 * What became of the program's calls. `dropped` and `omitted` include only threads whose end is in
 * the trace.
 */
struct dft_totals {
    uint64_t events;     /* in the trace */
    uint64_t dropped;    /* the spool had no room for them */
    uint64_t lost;       /* recorded, but could not be written */
    uint64_t aggregated; /* those of `events` that have no line of their own */
    uint64_t omitted;    /* nested deeper than DFTRACER_MAX_DEPTH */
};

/* What one commit makes final. */
struct dft_commit {
    uint64_t size; /* of the trace file */
    struct dft_totals totals;
    uint64_t ticks;          /* the latest time that was converted */
    uint32_t main_named;     /* whether the main thread's name is in the file */
    uint32_t complete;       /* whether the trace is complete */
    uint64_t described : 24; /* sites 1 to this number are described in the file */
    uint64_t index : 40;     /* events of all kinds in the file */
    uint64_t throttled;      /* throttled sites that the file reports as throttled */
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
    uint32_t chunk_limit; /* from DFTRACER_SPOOL_MAX; each thread may exceed it by one chunk */
    uint32_t chunk_max;   /* chunks for which the file has room */
    uint32_t clock;       /* enum dft_clock_kind */
    uint32_t chunk_keep;  /* chunks below this number keep their memory when free */

    int32_t pid, ppid;
    uint64_t pid_space; /* inode of the pid namespace that `pid` is from; 0: unknown */
    uint64_t born;      /* start time of the process from /proc, since pids are reused */
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
    int64_t rank, rank_count; /* in a parallel program; rank -1: none; count 0: unknown */
    char cores[128];          /* processors for the process, as "0-3,8"; empty: not requested */
    uint64_t sample_cost_ns;  /* cost of both samples of a call; 0: not measured */
    uint32_t call_cost_ns;    /* cost of a recorded call in hooks and writer; 0: not measured */
    uint32_t count_cost_ns;   /* cost of a counted call */
    struct dft_process_usage at_begin, at_end; /* at the session's ends, read by the process */
    uint32_t empty_call_ns; /* duration in the record of an empty function; 0: not measured */

    _Alignas(64) _Atomic uint64_t free_chunks; /* tag << 32 | number + 1 of the first free chunk */
    _Atomic uint32_t chunk_count;              /* chunks that were ever used */
    _Atomic uint32_t waiting;                  /* threads that wait for a free chunk */
    _Atomic uint32_t opened;                   /* how many chunks threads have opened so far */
    _Atomic uint32_t failing;     /* the trace cannot be written now: threads do not wait */
    _Atomic uint64_t cold_chunks; /* as free_chunks, for free chunks without memory */

    _Alignas(64) _Atomic uint32_t thread_count; /* slots that were ever used */
    _Atomic uint32_t ended_threads;             /* slots that the writer has yet to free */
    _Atomic uint32_t site_lock;
    _Atomic uint32_t site_count;
    _Atomic uint32_t site_text_used;
    _Atomic uint64_t lost_sites; /* sites for which the table had no room */
    _Atomic uint32_t throttled_count;
    _Atomic uint32_t styled;           /* whether any site has a style */
    uint32_t own_sites[DFT_OWN_SITES]; /* by enum dft_own_site; 0: none */

    _Alignas(64) _Atomic uint32_t wake; /* futex word, increased to wake the writer */
    _Atomic uint32_t asleep;            /* the writer waits on `wake` */
    _Atomic uint32_t state;             /* enum dft_spool_state */
    _Atomic uint32_t write_error;       /* errno of the last failed write; 0: none failed */
    uint64_t ended;                     /* ticks */
    _Atomic uint32_t freed;             /* futex word, increased to wake waiting threads */

    _Alignas(64) _Atomic uint32_t commit; /* number of the last commit */
    _Atomic uint32_t anchor_count;
    _Atomic uint32_t segment_count;
    struct dft_commit committed[2]; /* by parity of `commit` */
    struct dft_anchor latest[2];    /* by parity of `anchor_count`; none while that is 0 */
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
