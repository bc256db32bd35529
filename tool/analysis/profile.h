/*
 * Where the time went, function by function, over any number of traces.
 *
 * A function is what has one name, category, file and line. The memory it takes grows with the
 * number of functions and the depth of calls, not with their number: of a trace in which too many
 * calls wait for their parents (stacks/stack.h), who reads it is asked for all calls once more, from the
 * last to the first.
 */
#ifndef DFT_TOOL_ANALYSIS_PROFILE_H
#define DFT_TOOL_ANALYSIS_PROFILE_H

#include "tool/trace/walk.h"

/* By what calls are added up; a row for each of them takes the place of a function. */
enum dft_grouping {
    DFT_BY_FUNCTION,
    DFT_BY_THREAD,
    DFT_BY_CATEGORY,
    DFT_BY_FILE,
    DFT_BY_MODULE,
    DFT_GROUPING_COUNT,
};

/* "thread": as in --by and in JSON; NULL behind the last one. */
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
    uint64_t counted;    /* of those, the ones that were not timed: their time is an estimate */
    uint64_t unfinished;
    bool is_own;      /* dftrace's own work: no function of the program's */
    uint64_t threads; /* that called it, as far as its calls have events */
    int64_t total_ns; /* of its outermost calls, and of all that are aggregated */
    int64_t self_ns;
    bool self_estimated;   /* calls inside were counted, not timed */
    int64_t timed_ns;      /* of calls that are aggregated and timed: total, */
    int64_t timed_self_ns; /* and self */
    int64_t mean_ns;       /* over all its calls */
    int64_t min_ns;        /* of calls that have ended */
    bool has_min;          /* there is one */
    int64_t max_ns;
};

/* A command line that traces name, and how many processes ran it. */
struct dft_profile_command {
    struct dft_text text;
    uint64_t processes;
};

/* A function whose calls were only counted from some moment on, to keep within a budget. */
struct dft_profile_switch {
    struct dft_text function;
    int64_t after_ns;  /* since its trace's start */
    int64_t calls;     /* of its calls before, those that were looked at, */
    int64_t calls_ns;  /* how long they took, */
    int64_t cost_ns;   /* what recording them cost, */
    int64_t window_ns; /* in so much processor time of their thread */
};

struct dft_profile_summary {
    enum dft_grouping by;
    uint64_t traces;
    uint64_t calls;
    uint64_t aggregated;
    uint64_t counted;
    uint64_t left_out; /* calls that were nested deeper than asked for, as the traces say */
    uint64_t unfinished;
    uint64_t instants;      /* moments that the program has named */
    uint64_t dropped;       /* calls that were not recorded, as the traces say */
    uint64_t lost;          /* calls that were recorded and could not be written */
    uint64_t unwritable;    /* of both, those of traces that could not be written for a while */
    struct dft_text reason; /* why they could not; of the first such trace */
    uint64_t disordered;    /* calls whose self time cannot be told from the trace */
    bool has_others;        /* functions beyond the limit of memory are one row */
    uint64_t pair_events;   /* begin and end events ("B", "E"), which are not counted as calls */
    uint64_t processes;
    uint64_t threads;
    int64_t waited_ns; /* by all threads, for the writer to give them room; in no function's time */
    int64_t bookkeeping_ns; /* the same of other work of dftrace's inside of calls */
    uint64_t waits;
    bool has_budget;
    int64_t wall_ns; /* from the first event's start to the last one's end */
    bool has_usage;
    int64_t cpu_ns;       /* that the processes have used, as their counters tell */
    int64_t peak_rss_kb;  /* of the largest one */
    uint64_t counting_ns; /* that it took to count the calls which were only counted: */
    bool over_budget;     /* more than all of tracing was to take */
    const struct dft_profile_command *commands;
    size_t command_count;
    const struct dft_profile_switch *switches;
    size_t switch_count;
};

struct dft_profile;

struct dft_profile *dft_profile_new(void);

/*
 * About so many bytes are used for functions; those that come when there is no room are added up in
 * one row, as if they were one function. 0: without a limit, as to begin with.
 */
void dft_profile_limit_memory(struct dft_profile *profile, size_t bytes);

/* Before the first trace: rows by something else than functions. */
void dft_profile_group_by(struct dft_profile *profile, enum dft_grouping by);

/* Before the first trace: a call tree is wanted. It is the profile's. */
struct dft_call_tree;
void dft_profile_make_tree(struct dft_profile *profile);
const struct dft_call_tree *dft_profile_tree(const struct dft_profile *profile);

/* Shows the profile all events of traces. Processes of two traces are never the same. */
struct dft_visitor dft_profile_visitor(struct dft_profile *profile);

/* Valid until the next trace or the end of the profile. */
const struct dft_function *dft_profile_functions(struct dft_profile *profile, size_t *count);
struct dft_profile_summary dft_profile_summarize(const struct dft_profile *profile);

void dft_profile_free(struct dft_profile *profile);

#endif
