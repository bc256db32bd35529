/*
 * Profiles of small traces: what is counted for each function and group, and in the summary.
 */
#include "tool/analysis/call_tree.h"
#include "tool/analysis/profile.h"
#include "unit.h"

#include <unistd.h>

#define CALL(name, tid, ts, dur)                                                                   \
    "{\"name\":\"" name "\",\"cat\":\"C" name "\",\"ph\":\"X\",\"pid\":1,\"tid\":" #tid            \
    ",\"ts\":" #ts ",\"dur\":" #dur "}\n"

static const char trace[] = "[" CALL("f", 1, 20, 30) CALL("f", 1, 10, 50) CALL("main", 1, 0, 100)
    CALL("f", 2, 0,
         7) "{\"name\":\"calls of g\",\"cat\":\"Cg\",\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":5,"
            "\"args\":{\"count\":4,\"total_us\":8,\"min_us\":1,\"max_us\":3,\"self_us\":6}}\n"
            "{\"name\":\"calls of g\",\"cat\":\"Cg\",\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":6,"
            "\"args\":{\"count\":2,\"estimated_us\":4}}\n"
            "{\"name\":\"loaded\",\"cat\":\"APP\",\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":50}\n"
            "{\"name\":\"b\",\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":50}\n"
            "{\"name\":\"dftrace: waiting for writer\",\"cat\":\"dftrace\",\"ph\":\"X\",\"pid\":1,"
            "\"tid\":2,\"ts\":20,\"dur\":5}\n"
            "]";

static void read_trace(struct dft_profile *profile)
{
    char path[] = "/tmp/dftrace-unit-XXXXXX";
    int fd = mkstemp(path);
    const char *paths[] = {path};
    struct dft_visitor visitor = dft_profile_visitor(profile);
    bool incomplete = false;

    CHECK(fd >= 0 && write(fd, trace, sizeof trace - 1) == (ssize_t)(sizeof trace - 1));
    close(fd);
    CHECK(dft_walk_traces(paths, 1, &visitor, &incomplete));
    CHECK(!incomplete);
    unlink(path);
}

static const struct dft_function *find_row(struct dft_profile *profile, const char *name)
{
    static const struct dft_function none;
    size_t count;
    const struct dft_function *rows = dft_profile_functions(profile, &count);

    for (size_t i = 0; i < count; i++) {
        if (dft_text_is(rows[i].name, name))
            return &rows[i];
    }
    CHECK_TEXT(name, "a row of the profile");
    return &none;
}

static void functions_have_their_times(void)
{
    struct dft_profile *profile = dft_profile_new();

    read_trace(profile);
    const struct dft_function *f = find_row(profile, "f");
    CHECK_INT((intmax_t)f->calls, 3);
    CHECK_INT((intmax_t)f->threads, 2);
    CHECK_INT(f->total_ns, 57000);
    CHECK_INT(f->self_ns, 57000);
    CHECK_INT(f->mean_ns, 29000);
    CHECK_INT(f->min_ns, 7000);
    CHECK_INT(f->max_ns, 50000);
    CHECK_INT(find_row(profile, "main")->self_ns, 50000);

    const struct dft_function *g = find_row(profile, "g");
    CHECK_INT((intmax_t)g->calls, 6);
    CHECK_INT((intmax_t)g->aggregated, 6);
    CHECK_INT((intmax_t)g->throttled, 2);
    CHECK_INT(g->total_ns, 12000);
    CHECK_INT(g->self_ns, 9000); /* three quarters, as of the calls that were timed */
    CHECK_INT(g->min_ns, 1000);
    CHECK_INT(g->max_ns, 3000);
    CHECK(find_row(profile, "dftrace: waiting for writer")->is_own);

    struct dft_profile_summary summary = dft_profile_summarize(profile);
    CHECK_INT((intmax_t)summary.calls, 10);
    CHECK_INT((intmax_t)summary.instants, 1);
    CHECK_INT((intmax_t)summary.pair_events, 1);
    CHECK_INT((intmax_t)summary.threads, 2);
    CHECK_INT((intmax_t)summary.processes, 1);
    CHECK_INT((intmax_t)summary.waits, 1);
    CHECK_INT(summary.waited_ns, 5000);
    CHECK_INT(summary.wall_ns, 100000);
    CHECK_INT((intmax_t)summary.disordered, 0);
    dft_profile_free(profile);
}

static void groups_take_the_place_of_functions(void)
{
    struct dft_profile *profile = dft_profile_new();

    dft_profile_group_by(profile, DFT_BY_THREAD);
    read_trace(profile);
    CHECK_INT(find_row(profile, "tid 1, pid 1")->total_ns, 100000);
    CHECK_INT(find_row(profile, "tid 1, pid 1")->self_ns, 100000);
    CHECK_INT(find_row(profile, "tid 2, pid 1")->total_ns, 7000);
    CHECK_INT((intmax_t)find_row(profile, "(aggregated calls of pid 1)")->calls, 6);
    dft_profile_free(profile);

    profile = dft_profile_new();
    dft_profile_group_by(profile, DFT_BY_CATEGORY);
    read_trace(profile);
    CHECK_INT((intmax_t)find_row(profile, "Cg")->calls, 6);
    CHECK_INT(find_row(profile, "Cf")->total_ns, 57000);
    dft_profile_free(profile);
}

static void a_profile_can_have_a_tree(void)
{
    struct dft_profile *profile = dft_profile_new();

    dft_profile_make_tree(profile);
    read_trace(profile);
    const struct dft_call_tree *tree = dft_profile_tree(profile);
    int64_t self = 0;
    uint64_t calls = 0;
    CHECK_INT((intmax_t)tree->count, 4); /* the root, main, main and f, f */
    for (size_t i = 0; i < tree->count; i++) {
        self += tree->nodes[i].self_ns;
        calls += tree->nodes[i].calls;
    }
    CHECK_INT((intmax_t)calls, 4);
    CHECK_INT(self, 107000);
    CHECK_INT(find_row(profile, "main")->self_ns, 50000);
    dft_profile_free(profile);
}

static void memory_is_limited(void)
{
    struct dft_profile *profile = dft_profile_new();

    dft_profile_limit_memory(profile, 1);
    read_trace(profile);
    CHECK(dft_profile_summarize(profile).has_others);
    CHECK_INT((intmax_t)find_row(profile, "f")->calls, 3);
    CHECK_INT((intmax_t)find_row(profile, "(other functions)")->calls, 8);
    dft_profile_free(profile);
}

int main(void)
{
    functions_have_their_times();
    groups_take_the_place_of_functions();
    a_profile_can_have_a_tree();
    memory_is_limited();
    return unit_result();
}
