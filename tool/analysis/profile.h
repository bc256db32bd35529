/*
 * Where the time went, function by function, over any number of traces.
 *
 * A function is identified by name, category, file and line. Memory grows with the number of
 * functions and the depth of calls, not with the number of calls: if too many calls wait for their
 * parents (stacks/stack.h), the trace is read again, backwards.
 */
#ifndef DFT_TOOL_ANALYSIS_PROFILE_H
#define DFT_TOOL_ANALYSIS_PROFILE_H

#include "tool/trace/walk.h"

/* What a row of the profile is. */
enum dft_grouping {
    DFT_BY_FUNCTION,
    DFT_BY_THREAD,
    DFT_BY_CATEGORY,
    DFT_BY_FILE,
    DFT_BY_MODULE,
    DFT_BY_LANGUAGE,
    DFT_BY_STEP, /* the rows are steps.h's; the profile's are functions */
    DFT_GROUPING_COUNT,
};

/* "thread": as in --by and in JSON; NULL after the last one. */
const char *dft_grouping_name(size_t grouping);

/* How many groups: "1 thread", "2 threads". */
const char *dft_grouping_noun(enum dft_grouping grouping, bool is_one);

struct dft_function {
    struct dft_text name; /* each of the three is NUL-terminated as well */
    struct dft_text category;
    struct dft_text file; /* empty where the trace has none */
    int64_t line;         /* 0 where the trace has none */
    uint64_t calls;
    uint64_t aggregated; /* of them, those without an event of their own */
    uint64_t throttled;  /* of those, the ones that were not timed: their time is an estimate */
    uint64_t resumed;    /* those of `calls` that go on with one that has begun before */
    uint64_t unfinished;
    int64_t unfinished_ns; /* of these calls, until the trace ended */
    bool is_own;           /* dftrace's own work, not a function of the program */
    bool is_region;        /* not a function, but a part of the program that it has named itself */
    uint64_t threads;      /* that called it, if its calls have events */
    int64_t total_ns;      /* of its outermost calls, and of all aggregated ones */
    int64_t self_ns;
    bool self_estimated;   /* calls inside were throttled */
    int64_t timed_ns;      /* of calls that are aggregated and timed: total, */
    int64_t timed_self_ns; /* and self */
    int64_t mean_ns;       /* of calls that have ended; of all if none has */
    int64_t min_ns;        /* of calls that have ended */
    bool has_min;          /* some call has ended */
    int64_t max_ns;
};

/* A command line that traces name, and how many processes ran it. */
struct dft_profile_command {
    struct dft_text text;
    uint64_t processes;
};

/* What the program says of itself. */
struct dft_profile_metadata {
    struct dft_text key;
    struct dft_text value; /* JSON, as it is in the trace */
};

/* A function that was throttled from some moment on, because of the budget. */
struct dft_profile_throttling {
    struct dft_text function;
    int64_t after_ns;  /* since its trace's start */
    int64_t calls;     /* how many earlier calls were examined, */
    int64_t calls_ns;  /* how long they took, */
    int64_t cost_ns;   /* what recording them cost, */
    int64_t window_ns; /* in this much CPU time of their thread */
};

struct dft_profile_summary {
    enum dft_grouping by;
    uint64_t traces;
    uint64_t calls;
    uint64_t aggregated;
    uint64_t throttled;
    uint64_t left_out; /* calls that were nested too deeply, according to the traces */
    uint64_t unfinished;
    uint64_t instants;      /* moments that the program has named */
    uint64_t counters;      /* values of the program's own counters */
    uint64_t flows;         /* points of arrows between calls */
    uint64_t tracks;        /* of the threads, those that are tracks of the program */
    uint64_t dropped;       /* calls that were not recorded, according to the traces */
    uint64_t lost;          /* calls that were recorded and could not be written */
    uint64_t unwritable;    /* of both, those in traces that could temporarily not be written */
    struct dft_text reason; /* why the first of these traces could not be written */
    uint64_t disordered;    /* calls that overlap others, so that their self time is unknown */
    bool has_others;        /* functions without memory share a row */
    uint64_t pair_events;   /* ends of calls whose begin is missing */
    uint64_t processes;
    uint64_t threads;
    int64_t waited_ns; /* by all threads, for the writer; not part of any function's time */
    int64_t
        bookkeeping_ns; /* other work of dftrace inside calls; not part of any function's time */
    uint64_t waits;
    bool has_budget;
    int64_t wall_ns; /* from the first event's start to the last one's end */
    bool has_usage;
    int64_t cpu_ns;       /* of the processes, according to their counters */
    int64_t peak_rss_kb;  /* of the largest one */
    uint64_t counting_ns; /* the cost of counting throttled calls */
    bool over_budget;     /* that cost alone is more than the budget */
    const struct dft_profile_command *commands;
    size_t command_count;
    const struct dft_profile_metadata *metadata;
    size_t metadata_count;
    const struct dft_profile_throttling *switches;
    size_t switch_count;
};

struct dft_profile;

struct dft_profile *dft_profile_new(void);

/*
 * Limits the memory for functions and the tree to about `bytes`. Further functions share one row,
 * as if they were one function. 0: no limit, which is the default.
 */
void dft_profile_limit_memory(struct dft_profile *profile, size_t bytes);

/* Call it before the first trace: makes rows of groups instead of functions. */
void dft_profile_group_by(struct dft_profile *profile, enum dft_grouping by);

/*
 * Call it before the first trace: I/O calls (io_call.h) have their file in place of a function, its
 * name or hash, with line DFT_IO_LINE.
 */
#define DFT_IO_LINE INT64_MIN
void dft_profile_separate_io(struct dft_profile *profile);

/* Call it before the first trace: also makes a call tree, which belongs to the profile. */
struct dft_call_tree;
void dft_profile_make_tree(struct dft_profile *profile);
const struct dft_call_tree *dft_profile_tree(const struct dft_profile *profile);

/* Feeds the profile with traces. Processes of different traces are always different. */
struct dft_visitor dft_profile_visitor(struct dft_profile *profile);

/* Valid until the next trace or the end of the profile. */
const struct dft_function *dft_profile_functions(struct dft_profile *profile, size_t *count);
struct dft_profile_summary dft_profile_summarize(const struct dft_profile *profile);

void dft_profile_free(struct dft_profile *profile);

#endif
