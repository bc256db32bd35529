/*
 * The headers of spools of versions 1 to 4, as these versions wrote them. Frozen: nothing here may
 * change.
 *
 * Of the other regions, only the entries of the site table had another layout. Records, frames,
 * threads, entries of the chunk directory and segments of the clock were as in format.h, or had
 * zeros in place of fields that were added later. Whoever changes one of those in format.h freezes
 * the old one here, too.
 */
#ifndef DFT_SPOOL_OLDER_LAYOUTS_H
#define DFT_SPOOL_OLDER_LAYOUTS_H

#include "spool/format.h"

#include <stddef.h>

/* How all versions begin. */
struct dft_older_head {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint64_t file_size;
    uint64_t base;
};

struct dft_older_program {
    char app[64];
    char host[64];
    char exe[512];
    char directory_name[512];
    char command[2048];
};

/* Versions 1 to 3; version 4 continues it. */
struct dft_older_settings {
    char prefix[1024];
    uint64_t member_size;
    uint8_t compression, metadata, disable_tids, drop_when_full;
    uint8_t thread_counters, system_counters; /* since version 4; 0 before */
    uint8_t reserved[2];
};

struct dft_older_header_1 {
    struct dft_older_head head;
    struct dft_region directory, site_index, site_hash, site_text, threads, chunks;
    uint32_t chunk_limit, chunk_max, clock, reserved;
    int32_t pid, ppid;
    struct dft_anchor started;
    struct dft_older_program program;
    struct dft_older_settings settings;

    _Alignas(64) uint64_t free_chunks;
    uint32_t chunk_count, waiting;

    _Alignas(64) uint32_t thread_count;
    uint32_t site_lock, site_count, site_text_used;
    uint64_t lost_sites;

    _Alignas(64) uint32_t wake;
    uint32_t asleep;
    uint32_t state; /* enum dft_spool_state without STARTING: 0 is RUNNING */
    uint64_t ended;

    _Alignas(64) uint32_t commit;
    uint64_t committed_size[2];
    uint64_t events;
};

/* What the headers of versions 2 to 4 begin with, up to the settings. */
struct dft_older_start_2 {
    struct dft_older_head head;
    struct dft_region directory, site_index, site_hash, site_text, segments, threads, chunks;
    uint32_t chunk_limit, chunk_max, clock, chunk_keep;
    int32_t pid, ppid;
    uint64_t pid_space, born;
    char boot[40];
    struct dft_anchor started;
    struct dft_older_program program;
};

struct dft_older_trace {
    char path[1400];
    uint64_t device, inode;
    int32_t host_pid;
    uint32_t reserved;
};

struct dft_older_commit {
    uint64_t size, events, dropped, lost, ticks;
    uint32_t main_named, complete;
};

struct dft_older_commit_4 {
    struct dft_older_commit base;
    uint64_t described;
};

struct dft_older_chunks {
    _Alignas(64) uint64_t free_chunks;
    uint32_t chunk_count, waiting, opened;
    uint64_t cold_chunks;
};

struct dft_older_progress {
    _Alignas(64) uint32_t wake;
    uint32_t asleep;
    uint32_t state; /* enum dft_spool_state */
    uint64_t ended;
};

struct dft_older_header_2 {
    struct dft_older_start_2 start;
    struct dft_older_settings settings;
    struct dft_older_trace trace;
    struct dft_older_chunks chunks;
    _Alignas(64) uint32_t thread_count;
    uint32_t site_lock, site_count, site_text_used;
    uint64_t lost_sites;
    struct dft_older_progress progress;
    _Alignas(64) uint32_t commit;
    uint32_t anchor_count, segment_count;
    struct dft_older_commit committed[2];
    struct dft_anchor latest[2];
};

struct dft_older_header_3 {
    struct dft_older_start_2 start;
    struct dft_older_settings settings;
    struct dft_older_trace trace;
    struct dft_older_chunks chunks;
    _Alignas(64) uint32_t thread_count;
    uint32_t ended_threads;
    uint32_t site_lock, site_count, site_text_used;
    uint64_t lost_sites;
    struct dft_older_progress progress;
    _Alignas(64) uint32_t commit;
    uint32_t anchor_count, segment_count;
    struct dft_older_commit committed[2];
    struct dft_anchor latest[2];
};

/* As struct dft_process_usage was in version 4. */
struct dft_older_usage {
    uint64_t monotonic_ns, user_us, system_us, rss_kb, peak_rss_kb, threads;
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    uint64_t read_bytes, write_bytes, storage_read_bytes, storage_write_bytes;
    uint32_t has_switches, has_io;
};

struct dft_older_header_4 {
    struct dft_older_start_2 start;
    struct dft_older_settings settings;
    uint32_t counter_interval_ms, reserved;
    struct dft_older_trace trace;
    int64_t rank, rank_count;
    char cores[128];
    uint64_t sample_cost_ns;
    struct dft_older_usage at_begin, at_end;
    struct dft_older_chunks chunks;
    _Alignas(64) uint32_t thread_count;
    uint32_t ended_threads;
    uint32_t site_lock, site_count, site_text_used;
    uint64_t lost_sites;
    struct dft_older_progress progress;
    _Alignas(64) uint32_t commit;
    uint32_t anchor_count, segment_count;
    struct dft_older_commit_4 committed[2];
    struct dft_anchor latest[2];
};

union dft_older_header {
    struct dft_older_head head;
    struct dft_older_header_1 v1;
    struct dft_older_header_2 v2;
    struct dft_older_header_3 v3;
    struct dft_older_header_4 v4;
};

/* An entry of the site table of versions 1 to 3; its five strings follow. */
struct dft_older_site_1 {
    uint32_t next, hash, line, flags, length;
};

/* The same of version 4; its eight strings follow. */
struct dft_older_site_4 {
    uint32_t next, hash, line, flags, module, length;
};

#define DFT_OLDER_STRINGS_1 5 /* of versions 1 to 3 */
#define DFT_OLDER_STRINGS_4 8

_Static_assert(sizeof(struct dft_older_header_1) == 4672, "frozen");
_Static_assert(sizeof(struct dft_older_header_2) == 6336, "frozen");
_Static_assert(sizeof(struct dft_older_header_3) == 6336, "frozen");
_Static_assert(sizeof(struct dft_older_header_4) == 6720, "frozen");
_Static_assert(offsetof(struct dft_older_header_1, commit) == 4608, "frozen");
_Static_assert(sizeof(struct dft_older_site_1) == 20, "frozen");
_Static_assert(sizeof(struct dft_older_site_4) == 24, "frozen");

#endif
