/*
 * Making, mapping and filling a spool. See format.h for what it is.
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
    bool gone;               /* the process that filled it has ended */
    _Atomic uint32_t cursor; /* slot at which the next thread begins to look for a free one */
    char path[1100];
};

#define DFT_NO_CHUNK UINT32_MAX
#define DFT_SPOOL_CHUNKS_MAX (UINT32_MAX / 2)

/*
 * Creates DIRECTORY/dftrace-<pid>-<random> with room for `record_bytes` of records. The caller
 * fills in what the header says of the program and of the settings.
 */
int dft_spool_create(struct dft_spool *spool, const char *directory, uint64_t record_bytes);

/*
 * Maps a spool that another process has made; the file must be this user's. -ENODATA: its maker has
 * not got to the header; -ENOMSG: no spool; -EPROTONOSUPPORT: of another version; -EBADMSG:
 * damaged.
 */
int dft_spool_open(struct dft_spool *spool, int fd, const char *path);

/* As open, but changes stay private to this process. */
int dft_spool_peek(struct dft_spool *spool, int fd, const char *path);

/* What a spool whose process has ended still contains for a writer. */
struct dft_spool_findings {
    uint64_t calls;   /* ended, not in the trace file */
    uint64_t open;    /* not ended; may count one that has just ended twice */
    uint64_t threads; /* that these are of */
    uint64_t latest;  /* the last tick at which the process is known to have been alive */
    uint64_t damaged; /* places with impossible contents, which were cut off */
};

/* Repairs whatever is invalid, so that a writer can be opened on the spool afterwards. */
int dft_spool_examine(struct dft_spool *spool, struct dft_spool_findings *findings);

/* Calls that are recorded but in no commit, and calls that were not recorded. */
struct dft_spool_unwritten {
    uint64_t calls;   /* ended, open, or only counted */
    uint64_t dropped; /* by threads whose end is in no commit */
    uint64_t omitted; /* calls omitted by these threads */
};

/* Changes nothing. If the process is running, the numbers are approximate. */
void dft_spool_count_unwritten(const struct dft_spool *spool,
                               struct dft_spool_unwritten *unwritten);

/* Computes the regions of a spool with this number of chunks. */
void dft_spool_lay_out(struct dft_spool_header *plan, uint32_t chunk_limit);

/* Copies every site of `from`, with the same numbers. */
int dft_spool_copy_sites(struct dft_spool *spool, const struct dft_spool *from);

void dft_spool_unmap(struct dft_spool *spool);
/* 0, or a negative errno: then the file is still there, and the path as well. */
int dft_spool_unlink(struct dft_spool *spool);

/* Any thread. Allocates these bytes of the mapping, so that access cannot fail. */
int dft_spool_reserve(const struct dft_spool *spool, uint64_t offset, uint64_t size);

/*
 * Any thread. DFT_NO_CHUNK: all chunks are in use, or the file system has no room for another. A
 * thread's first chunk does not count against the limit, so every thread can have one.
 */
uint32_t dft_spool_take_chunk(struct dft_spool *spool, bool first);

/* Records from the chunk's begin on, behind which there are none; at most DFT_CHUNK_RECORDS. */
uint32_t dft_spool_chunk_used(const struct dft_spool *spool, uint32_t chunk);

/*
 * Wipes it first. Beyond DFT_KEEP_SIZE its memory goes back to the system, unless another thread is
 * about to want it: a spool that had to grow gets small again.
 */
void dft_spool_free_chunk(struct dft_spool *spool, uint32_t chunk);
struct dft_record *dft_spool_chunk_records(const struct dft_spool *spool, uint32_t chunk);

enum dft_recorded_kind {
    DFT_RECORDED_NOTHING, /* not used, not filled yet, or only for the writer */
    DFT_RECORDED_CALL,
    DFT_RECORDED_INSTANT, /* has no duration */
};

/* A record as a reader sees it. */
struct dft_record_view {
    uint64_t start, duration; /* ticks */
    enum dft_recorded_kind kind;
    uint32_t site;     /* of a call; or of the name of an event, or 0 */
    uint32_t units;    /* of 16 bytes that it has */
    uint32_t attached; /* how many of them, the last ones, are attachments */
    uint32_t open;     /* how many of them, the last ones, are DFT_RECORD_OPEN's */
};

/*
 * False where it cannot be right: it would go beyond the `room` units, counted from it, to the
 * chunk's end.
 */
bool dft_spool_read_record(const struct dft_record *record, uint32_t room,
                           struct dft_record_view *view);

/* Whether what the commit of this number covers is in the file; 0 is the number of none. */
static inline bool dft_spool_is_committed(const struct dft_spool *spool, uint32_t number)
{
    return number != 0 && number <= atomic_load(&spool->header->commit);
}

/* Any thread. NULL when every slot is taken. The slot is CLAIMED: fill it in, then set LIVE. */
struct dft_thread *dft_spool_claim_thread(struct dft_spool *spool, uint32_t *slot);
struct dft_thread *dft_spool_thread(const struct dft_spool *spool, uint32_t slot);
uint32_t dft_spool_slot(const struct dft_spool *spool, const struct dft_thread *thread);

/* Called by the thread when it ends; the second one later by the writer. */
void dft_spool_end_thread(struct dft_spool *spool, struct dft_thread *thread);
void dft_spool_free_thread(struct dft_spool *spool, struct dft_thread *thread);

/* Frames in use, the sentinel among them; 0 where the thread's pointer cannot be right. */
uint64_t dft_spool_open_frames(const struct dft_spool *spool, const struct dft_thread *thread);

/*
 * Number of the site with this text, line and flags, new or known; 0 when the table is full. Takes
 * a spin lock: the caller blocks signals. `text` is the site's strings as abi.h has them.
 */
uint32_t dft_spool_intern_site(struct dft_spool *spool, const char *text, uint32_t line,
                               uint32_t flags);

/* The same, of a module that has a number; a site that is known keeps its first one. */
uint32_t dft_spool_intern_site_of(struct dft_spool *spool, uint32_t module, const char *text,
                                  uint32_t line, uint32_t flags);

/* Gives the sites of the runtime's own work their numbers; the caller blocks signals. */
void dft_spool_add_own_sites(struct dft_spool *spool);

/* Whether records of this site are no calls of the program. Any thread. */
static inline bool dft_spool_is_own(const struct dft_spool *spool, uint32_t site)
{
    const uint32_t *own = spool->header->own_sites;

    return site == own[DFT_OWN_WAIT] || site == own[DFT_OWN_WORK];
}

/* Sites that have a number: from 1 to this one. */
uint32_t dft_spool_sites(const struct dft_spool *spool);

/* Sets or takes away bits of enum dft_site_style; those of a site without any are 0. Any thread. */
void dft_spool_style_site(struct dft_spool *spool, uint32_t id, uint32_t style, bool set);
uint32_t dft_spool_site_style(const struct dft_spool *spool, uint32_t id);

#define DFT_NOT_THROTTLED UINT32_MAX

/*
 * Has the calls of a site counted from now on; returns its number among the counted ones, also
 * where it is counted already, or DFT_NOT_THROTTLED where there is no room. The caller blocks
 * signals.
 */
uint32_t dft_spool_throttle_site(struct dft_spool *spool, const struct dft_throttled *throttled);
uint32_t dft_spool_find_throttled(const struct dft_spool *spool, uint32_t site);
uint32_t dft_spool_throttled_sites(const struct dft_spool *spool);
struct dft_throttled *dft_spool_throttled(const struct dft_spool *spool, uint32_t index);

/* After its sites: for a forked child, whose memory has the numbers of its parent. */
int dft_spool_copy_throttled(struct dft_spool *spool, const struct dft_spool *from);

/* The counts of one slot; to be reserved before they are used: NULL where there is no room. */
uint64_t *dft_spool_counts(const struct dft_spool *spool, uint32_t slot);
uint64_t *dft_spool_reserve_counts(const struct dft_spool *spool, uint32_t slot);

/* Of 65536 calls of a throttled site, how many are timed. */
uint32_t dft_spool_count_step(const struct dft_spool *spool, uint32_t index);

/* Calls of a throttled site, over all slots, that have no record. */
uint64_t dft_spool_untimed_calls(const struct dft_spool *spool, uint32_t index);

/* Both clocks at one moment, as near to each other as a few tries get them. */
void dft_spool_take_anchor(enum dft_clock_kind kind, struct dft_anchor *anchor);

/* The writer's latest anchor, for whoever comes after it; one at a time. */
void dft_spool_keep_anchor(struct dft_spool *spool, const struct dft_anchor *anchor);

/* A site as a reader sees it. */
struct dft_site_view {
    const char *name, *linkage, *file, *parameters, *category, *values, *types, *rule, *locals;
    uint32_t line;
    uint32_t flags;
    uint32_t module; /* number of its entry; 0: not known */
};

/* False when there is no such site, or what stands there cannot be one. */
bool dft_spool_site(const struct dft_spool *spool, uint32_t id, struct dft_site_view *view);

/* Any thread: tells the writer that there is something to do, and waits for that. */
void dft_spool_wake(struct dft_spool *spool);
void dft_spool_wait(struct dft_spool *spool, uint32_t seen, unsigned timeout_ms);

/* The writer has freed something; whoever waits for that looks again. Counts in `waiting`. */
void dft_spool_wake_waiting(struct dft_spool *spool);
void dft_spool_wait_freed(struct dft_spool *spool, uint32_t seen, unsigned timeout_us);

#endif
