/*
 * Creating, mapping and filling a spool. format.h defines its layout.
 *
 * Functions marked "any thread" are lock-free and async-signal-safe. Nothing here prints or
 * allocates from the heap; errors are negative errno values.
 */
#ifndef DFT_SPOOL_SPOOL_H
#define DFT_SPOOL_SPOOL_H

#include "spool/format.h"

#include <stdbool.h>
#include <stddef.h>

struct dft_spool {
    struct dft_spool_header *header;
    struct dft_chunk *directory;
    size_t size;
    bool gone;               /* the process that filled the spool has ended */
    _Atomic uint32_t cursor; /* slot at which the next search for a free slot begins */
    char path[1100];
};

#define DFT_NO_CHUNK UINT32_MAX
#define DFT_SPOOL_CHUNKS_MAX (UINT32_MAX / 2)

/* Whether a mapping contains an address whose lower 32 bits are 0; see DFT_FRAME_RECORD. */
bool dft_spool_holds_record_zero(const void *map, uint64_t size);

/*
 * Creates DIRECTORY/dftrace-<pid>-<time> with room for `record_bytes` of records. The caller fills
 * in the header's description of the program and its settings.
 */
int dft_spool_create(struct dft_spool *spool, const char *directory, uint64_t record_bytes);

/*
 * Maps a spool that another process has created; the file must belong to this user. -ENODATA: the
 * header is not written yet; -ENOMSG: not a spool; -EPROTONOSUPPORT: a spool of an unsupported
 * version; -EBADMSG: damaged.
 */
int dft_spool_open(struct dft_spool *spool, int fd, const char *path);

/* As dft_spool_open, but changes stay in this process and do not reach the file. */
int dft_spool_peek(struct dft_spool *spool, int fd, const char *path);

/* What a writer would still find in a spool whose process has ended. */
struct dft_spool_findings {
    uint64_t calls;   /* ended, not in the trace file */
    uint64_t open;    /* not ended; a call that was just ending may be in `calls`, too */
    uint64_t threads; /* threads that made these calls */
    uint64_t latest;  /* the last tick at which the process is known to have been alive */
    uint64_t damaged; /* places where impossible data was cut off */
};

/*
 * Checks the contents of a spool whose process has ended. Makes impossible data harmless, so that a
 * writer can be opened on the spool afterwards.
 */
int dft_spool_examine(struct dft_spool *spool, struct dft_spool_findings *findings);

/* Calls that were recorded but are in no commit, and calls that were not recorded. */
struct dft_spool_unwritten {
    uint64_t calls;   /* ended, open, or only counted */
    uint64_t dropped; /* in threads whose end is in no commit */
    uint64_t omitted; /* in the same threads: calls deeper than DFTRACER_MAX_DEPTH */
};

/* Changes nothing. The process may be running: then the numbers are approximate. */
void dft_spool_count_unwritten(const struct dft_spool *spool,
                               struct dft_spool_unwritten *unwritten);

/* Computes where the regions of a spool with this limit of chunks begin. */
void dft_spool_lay_out(struct dft_spool_header *plan, uint32_t chunk_limit);

/* Copies every site of `from`, so that numbers that were already assigned stay valid. */
int dft_spool_copy_sites(struct dft_spool *spool, const struct dft_spool *from);

void dft_spool_unmap(struct dft_spool *spool);
/* Removes the file. Returns 0 or a negative errno. If it fails, the file and `path` remain. */
int dft_spool_unlink(struct dft_spool *spool);

/*
 * Any thread. Reserves memory for these bytes of the mapping, so that accessing them cannot raise
 * SIGBUS.
 */
int dft_spool_reserve(const struct dft_spool *spool, uint64_t offset, uint64_t size);

/*
 * Any thread. Returns DFT_NO_CHUNK if all chunks are in use, or if the file system has no room for
 * another. With `first` the limit does not apply; this is mainly for a thread's first chunk, so
 * that every thread can have one.
 */
uint32_t dft_spool_take_chunk(struct dft_spool *spool, bool first);

/*
 * How many records of the chunk a reader must look at: after these, nothing was written. At most
 * DFT_CHUNK_RECORDS.
 */
uint32_t dft_spool_chunk_used(const struct dft_spool *spool, uint32_t chunk);

/*
 * Wipes the chunk and frees it. The memory of chunks beyond DFT_KEEP_SIZE goes back to the system,
 * unless there is no other free chunk. So a spool that had to grow becomes small again.
 */
void dft_spool_free_chunk(struct dft_spool *spool, uint32_t chunk);
struct dft_record *dft_spool_chunk_records(const struct dft_spool *spool, uint32_t chunk);

enum dft_recorded_kind {
    DFT_RECORDED_NOTHING, /* unused, not filled yet, or only for the writer */
    DFT_RECORDED_CALL,
    /* Events without a duration: */
    DFT_RECORDED_INSTANT,
    DFT_RECORDED_COUNTER,
    DFT_RECORDED_FLOW,
    DFT_RECORDED_METADATA,
    DFT_RECORDED_THREAD_NAME,
};

/* A record as a reader sees it. */
struct dft_record_view {
    uint64_t start, duration; /* ticks; of a COUNTER the value, of a FLOW the id */
    enum dft_recorded_kind kind;
    uint32_t detail;   /* of a COUNTER the type of its value, of a FLOW its phase */
    uint32_t site;     /* site of a call; or number of an event's name, or 0 */
    uint32_t units;    /* its size in units of 16 bytes */
    uint32_t attached; /* how many of the last units are attachments */
    uint32_t open;     /* how many of the last units are starts of open calls */
};

/*
 * Reads a record that has `room` units up to the end of its chunk. False if the record claims to be
 * larger than that.
 */
bool dft_spool_read_record(const struct dft_record *record, uint32_t room,
                           struct dft_record_view *view);

/* Whether the commit with this number is in the file. No commit has the number 0. */
static inline bool dft_spool_is_committed(const struct dft_spool *spool, uint32_t number)
{
    return number != 0 && number <= atomic_load(&spool->header->commit);
}

/*
 * Any thread. Returns a slot in state CLAIMED, which the caller initializes and sets LIVE; NULL if
 * every slot is in use.
 */
struct dft_thread *dft_spool_claim_thread(struct dft_spool *spool, uint32_t *slot);
struct dft_thread *dft_spool_thread(const struct dft_spool *spool, uint32_t slot);
uint32_t dft_spool_slot(const struct dft_spool *spool, const struct dft_thread *thread);

/* end: the thread no longer uses its slot. free: the writer no longer uses the slot either. */
void dft_spool_end_thread(struct dft_spool *spool, struct dft_thread *thread);
void dft_spool_free_thread(struct dft_spool *spool, struct dft_thread *thread);

/* Number of frames in use, including the sentinel; 0 if the thread's pointer is impossible. */
uint64_t dft_spool_open_frames(const struct dft_spool *spool, const struct dft_thread *thread);

/*
 * Returns the number of the site with this text, line and flags, and adds the site if it is new; 0
 * if the table is full. Takes a spin lock, so the caller must block signals. `text` has the site's
 * strings in the order of abi.h.
 */
uint32_t dft_spool_intern_site(struct dft_spool *spool, const char *text, uint32_t line,
                               uint32_t flags);

/* The same without adding the site; 0 if it is unknown. The caller must block signals. */
uint32_t dft_spool_find_site(struct dft_spool *spool, const char *text, uint32_t line,
                             uint32_t flags);

/*
 * The same for a site in the module with the number `module`. A site that is already known keeps
 * its first module.
 */
uint32_t dft_spool_intern_site_of(struct dft_spool *spool, uint32_t module, const char *text,
                                  uint32_t line, uint32_t flags);

/* Adds the sites of the runtime's own work. The caller must block signals. */
void dft_spool_add_own_sites(struct dft_spool *spool);

/* Whether this site is the runtime's own work, not a function of the program. Any thread. */
static inline bool dft_spool_is_own(const struct dft_spool *spool, uint32_t site)
{
    const uint32_t *own = spool->header->own_sites;

    return site == own[DFT_OWN_WAIT] || site == own[DFT_OWN_WORK];
}

/* How many sites there are. They are numbered from 1 to this number. */
uint32_t dft_spool_sites(const struct dft_spool *spool);

/*
 * Any thread. The first sets or clears bits of enum dft_site_style. The second reads them and
 * returns 0 if there is no such site.
 */
void dft_spool_style_site(struct dft_spool *spool, uint32_t id, uint32_t style, bool set);
uint32_t dft_spool_site_style(const struct dft_spool *spool, uint32_t id);

#define DFT_NOT_THROTTLED UINT32_MAX

/*
 * Throttles a site: from now on its calls are counted. Returns its index in the table of throttled
 * sites, also if the site was throttled before; DFT_NOT_THROTTLED if there is no room. The caller
 * must block signals.
 */
uint32_t dft_spool_throttle_site(struct dft_spool *spool, const struct dft_throttled *throttled);
uint32_t dft_spool_find_throttled(const struct dft_spool *spool, uint32_t site);
uint32_t dft_spool_throttled_sites(const struct dft_spool *spool);
struct dft_throttled *dft_spool_throttled(const struct dft_spool *spool, uint32_t index);

/*
 * Copies the table of throttled sites to the spool of a forked child, because the sites in the
 * child's memory contain indices of the parent's table. Called after dft_spool_copy_sites.
 */
int dft_spool_copy_throttled(struct dft_spool *spool, const struct dft_spool *from);

/*
 * The counts of one slot. Before the first use, dft_spool_reserve_counts must reserve their memory;
 * it returns NULL if there is no room.
 */
uint64_t *dft_spool_counts(const struct dft_spool *spool, uint32_t slot);
uint64_t *dft_spool_reserve_counts(const struct dft_spool *spool, uint32_t slot);

/* Of 65536 calls of a throttled site, how many are timed. */
uint32_t dft_spool_count_step(const struct dft_spool *spool, uint32_t index);

/* Calls of a throttled site, over all slots, that have no record. */
uint64_t dft_spool_untimed_calls(const struct dft_spool *spool, uint32_t index);

/* Reads all clocks at the same moment, as closely as a few attempts allow. */
void dft_spool_take_anchor(enum dft_clock_kind kind, struct dft_anchor *anchor);

/* Stores the latest anchor, for a later writer. Only one caller at a time. */
void dft_spool_keep_anchor(struct dft_spool *spool, const struct dft_anchor *anchor);

/* A site as a reader sees it. */
struct dft_site_view {
    const char *name, *linkage, *file, *parameters, *category, *values, *types, *rule, *locals;
    const char *guest_module, *language, *stack_size; /* empty unless it is a guest's function */
    uint32_t line;
    uint32_t flags;
    uint32_t module; /* number of the module's entry; 0: unknown */
};

/* False if there is no such site, or if its entry is damaged. */
bool dft_spool_site(const struct dft_spool *spool, uint32_t id, struct dft_site_view *view);

/*
 * dft_spool_wake tells the writer that there is something to do; any thread may call it. The writer
 * waits for that in dft_spool_wait, which returns at once if the header's `wake` is no longer
 * `seen`.
 */
void dft_spool_wake(struct dft_spool *spool);
void dft_spool_wait(struct dft_spool *spool, uint32_t seen, unsigned timeout_ms);

/*
 * The writer calls dft_spool_wake_waiting after it has freed something. Threads wait for that in
 * dft_spool_wait_freed, which returns at once if the header's `freed` is no longer `seen`. The
 * header's `waiting` is the number of these threads.
 */
void dft_spool_wake_waiting(struct dft_spool *spool);
void dft_spool_wait_freed(struct dft_spool *spool, uint32_t seen, unsigned timeout_us);

#endif
