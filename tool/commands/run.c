/*
 * dftrace run: runs a program with tracing switched on; another process writes the traces.
 *
 * There are three processes: the host (host.c), which writes traces; the program; and this one, the
 * front process, which takes the place of the program for its parent (child.c). The front process
 * does nothing that the program could notice.
 */
#include "runtime/base/option_values.h"
#include "tool/base/flags.h"
#include "tool/base/tool.h"
#include "tool/build/installation.h"
#include "tool/run/absent.h"
#include "tool/run/child.h"
#include "tool/run/config_file.h"
#include "tool/run/environment.h"
#include "tool/run/foreign_traces.h"
#include "tool/run/host.h"
#include "tool/run/named_rules.h"
#include "tool/run/program.h"
#include "tool/run/report.h"
#include "tool/run/rules.h"
#include "tool/run/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_PREFIX "./trace"
#define DEFAULT_DIRECTORY "/dev/shm"
#define NAMED_MAX 10
#define POLL_AGAIN_NS 10000000
#define QUICK_CALLS 5000000u /* a report of more calls takes seconds */

/* The same as those of env, nice and timeout. */
enum { EXIT_OWN_FAILURE = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

enum {
    FLAG_OUTPUT,
    FLAG_TRACE,
    FLAG_ENVIRONMENT,
    FLAG_C,
    FLAG_CONFIG,
    FLAG_IO,
    FLAG_TOP,
    FLAG_SORT,
    FLAG_NO_REPORT
};

static const struct dft_flag flags[] = {
    {"-o", "PREFIX", "put traces at PREFIX-<app>-<pid>.pfw.gz (default ./trace)"},
    {"-t", "NAME", "trace the functions of this name, in any language; may be given several times"},
    {"-e", "NAME=VALUE", "set an option of `dftrace options`: -e SPOOL_MAX=1G -e WHEN_FULL=drop"},
    {"-c", "FILE",
     "read options and rules from a YAML file; the environment and -e take precedence"},
    {"--config", "FILE", "the same"},
    {"--io", NULL, "also record the program's I/O calls; works for every program"},
    {"--top", "N", "show the first N functions in the report (default 8); 0 shows all"},
    {"--sort", "KEY", "sort them by self (default), total, calls, mean, max or name"},
    {"--no-report", NULL, "only print where the traces are"},
    {0},
};

static const struct dft_help usage = {
    .command = "run",
    .synopsis = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .text = "Runs a program that was compiled with the dftrace plugin, or with\n"
            "-finstrument-functions and -e ALLOWLIST=FILE, or a Python program with -t NAME,\n"
            "traces it and every traced program that it starts, and shows where the time went.\n"
            "The traces are written by a process of their own, so they are complete even if\n"
            "the program is killed.\n\n"
            "-t NAME is the rule fun:NAME of an allowlist, after those of -e ALLOWLIST=FILE.\n"
            "Without such a list, only the functions that -t names are traced.",
    .flags = flags,
    .notes = "The exit status is that of PROGRAM; if a signal ended it, the same signal ends\n"
             "dftrace run. 127: PROGRAM was not found, 126: it could not be run, 125: dftrace\n"
             "itself failed, or an option is wrong and PROGRAM was not run. Messages and the "
             "report go to stderr.",
};

struct trace {
    char *path;
    uint64_t events;
};

struct run {
    struct dft_environment environment;
    struct dft_run_config config;
    struct dft_run_rules rules;
    struct dft_named_rules named;
    char *prefix; /* absolute; NULL while it is not known */
    bool report;
    bool io; /* asked for by --io, or by DFTRACER_INIT */
    struct dft_run_report_flags report_flags;
    char **arguments;
    char *program; /* path */
    char directory[512];
    struct timespec began; /* on the clock of file times */
    int socket;
    pid_t host;
    struct dft_child child;
    struct trace *traces;
    size_t trace_count;
    size_t trace_room;
    uint64_t events, dropped, lost;
    int absent;      /* file in which programs without the runtime are listed, or -1 */
    unsigned silent; /* traced processes without a single call */
    bool failed;     /* some trace could not be written */
    bool idle;       /* the traces of all processes that have ended are complete */
    bool impatient;  /* asked to end while the host is still writing */
    struct dft_host_message alive;
};

/* --- the command line --- */

/* Why this value of an option cannot be set by -e; NULL: it can. */
static const char *reason_to_refuse(const char *name, const char *value)
{
    struct dft_options options;
    struct dft_option_problem problem;

    if (strcmp(name, "DFTRACER_HOSTED") == 0 || strcmp(name, "DFTRACER_PRELOAD") == 0)
        return "dftrace run itself sets this option";
    dft_option_set_defaults(&options);
    if (strcmp(name, "DFTRACER_ENABLE") == 0 &&
        dft_option_set(&options, "ENABLE", strlen("ENABLE"), value, &problem) &&
        options.enable == DFT_ENABLE_NOT)
        return "dftrace run traces; start the program without it, or use -e ENABLE=attach";
    return NULL;
}

/* NAME=VALUE, with or without the prefix DFTRACER_. DFT_EXIT_OK, or the exit status. */
static int set_option(struct run *run, const char *text)
{
    static const char prefix[] = "DFTRACER_";
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return dft_flags_refuse(&usage, "-e %s: expected NAME=VALUE", text);
    bool whole = strncmp(text, prefix, sizeof prefix - 1) == 0;
    char *name = dft_tool_format("%s%.*s", whole ? "" : prefix, (int)(equals - text), text);
    const char *reason = reason_to_refuse(name, equals + 1);
    if (reason) {
        dft_tool_error("run: -e %s: %s", text, reason);
        free(name);
        return EXIT_OWN_FAILURE;
    }
    dft_environment_set(&run->environment, name, equals + 1);
    if (strcmp(name, "DFTRACER_LOG_FILE") == 0) {
        free(run->prefix);
        run->prefix = dft_tool_absolute(equals + 1);
    } else if (strcmp(name, "DFTRACER_ALLOWLIST") == 0 && equals[1]) {
        char *path = dft_tool_absolute(equals + 1); /* programs may run in another directory */
        dft_environment_set(&run->environment, name, path);
        free(path);
    }
    free(name);
    return DFT_EXIT_OK;
}

/* Returns -1 to go on, or the exit status. */
static int read_request(struct run *run, int argc, char **argv)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    int status;

    for (;;) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            run->arguments = argv + line.at - 1;
            return -1;
        case DFT_FLAG_FOUND:
            if (line.index == FLAG_OUTPUT) {
                free(run->prefix);
                run->prefix = dft_tool_absolute(line.value);
            } else if (line.index == FLAG_TRACE) {
                if (!dft_named_rules_add(&run->named, line.value))
                    return EXIT_OWN_FAILURE;
            } else if (line.index == FLAG_C || line.index == FLAG_CONFIG) {
                dft_environment_set(&run->environment, "DFTRACER_CONFIGURATION", line.value);
            } else if (line.index == FLAG_NO_REPORT) {
                run->report = false;
            } else if (line.index == FLAG_IO) {
                run->io = true;
            } else if (line.index == FLAG_TOP || line.index == FLAG_SORT) {
                if (!dft_run_report_set_flag(&run->report_flags, flags[line.index].name,
                                             line.value))
                    return DFT_EXIT_USAGE;
            } else if ((status = set_option(run, line.value)) != DFT_EXIT_OK) {
                return status;
            }
            break;
        case DFT_FLAG_HELP:
            return DFT_EXIT_OK;
        case DFT_FLAG_WRONG:
            return DFT_EXIT_USAGE;
        case DFT_FLAG_END:
            return dft_flags_refuse(&usage, "no PROGRAM is given");
        }
    }
}

/* --- before the program runs --- */

/* Completes the options. False, after a message, if one of them is wrong. */
static bool prepare(struct run *run)
{
    if (!dft_run_config_apply(&run->config, &run->environment) ||
        !dft_run_rules_check(&run->rules, &run->environment, &run->config))
        return false;
    const char *prefix = dft_environment_find(&run->environment, "DFTRACER_LOG_FILE");
    if (!run->prefix)
        run->prefix = dft_tool_absolute(prefix && *prefix ? prefix : DEFAULT_PREFIX);
    return true;
}

static bool check_prefix(const struct run *run)
{
    char *directory = dft_tool_copy(run->prefix, strlen(run->prefix));
    char *slash = strrchr(directory, '/');

    slash[slash == directory] = '\0';
    bool fine = access(directory, W_OK | X_OK) == 0;
    if (!fine)
        dft_tool_error("cannot put traces into %s: %s; -o PREFIX names another place", directory,
                       strerror(errno));
    free(directory);
    return fine;
}

static bool make_directory(struct run *run)
{
    const char *option = dft_environment_find(&run->environment, "DFTRACER_SPOOL_DIR");
    const char *where = option && *option ? option : DEFAULT_DIRECTORY;
    char *parent =
        dft_tool_absolute(where); /* the host changes its directory, and the program may */

    /*
     * Inside another `dftrace run`, this is the private directory of the outer one: use the
     * directory around it.
     */
    if (dft_environment_get("DFTRACER_HOSTED") && strrchr(parent, '/') > parent)
        *strrchr(parent, '/') = '\0';
    int length = snprintf(run->directory, sizeof run->directory,
                          "%s/" DFT_RUN_DIRECTORY_PREFIX "XXXXXX", parent);
    free(parent);
    if (length > 0 && (size_t)length < sizeof run->directory && mkdtemp(run->directory)) {
        run->absent = dft_absent_make(run->directory);
        return true;
    }
    dft_tool_error("cannot make a directory for the spool: %s: %s; -e SPOOL_DIR=DIR names another "
                   "place",
                   run->directory, strerror(errno));
    return false;
}

/*
 * ":PATH" of the library that counts allocations, if the program needs it; otherwise "". To be
 * freed.
 */
static char *find_heap_library(const struct run *run, const char *prefix)
{
    const char *sample = dft_environment_find(&run->environment, "DFTRACER_SAMPLE");
    char *library = dft_tool_format(":%s/lib/libdftrace-preload.so", prefix);

    if (sample && strcasecmp(sample, "alloc") == 0 && access(library + 1, R_OK) == 0)
        return library;
    free(library);
    return dft_tool_copy("", 0);
}

/*
 * AddressSanitizer's library refuses to start if another library is preloaded before it, although
 * that works.
 */
static void allow_any_link_order(struct run *run)
{
    const char *before = dft_environment_find(&run->environment, "ASAN_OPTIONS");
    char *value = dft_tool_format("%s%sverify_asan_link_order=0", before ? before : "",
                                  before && *before ? ":" : "");

    dft_environment_set(&run->environment, "ASAN_OPTIONS", value);
    free(value);
}

/* "PATH:" of the library that intercepts I/O calls, if they are wanted; otherwise "". To be freed. */
static char *find_io_library(struct run *run, const char *prefix)
{
    const char *init = dft_environment_find(&run->environment, "DFTRACER_INIT");
    char *library = dft_tool_format("%s/lib/libdftrace-io.so", prefix);

    run->io |= init && (strcasecmp(init, "PRELOAD") == 0 || strcasecmp(init, "HYBRID") == 0);
    if (run->io && access(library, R_OK) == 0) {
        char *entry = dft_tool_format("%s:", library);
        free(library);
        return entry;
    }
    if (run->io)
        dft_tool_warn("cannot preload %s: %s; I/O calls are not recorded", library,
                      strerror(errno));
    free(library);
    return dft_tool_copy("", 0);
}

static void preload_runtime(struct run *run)
{
    struct dft_installation installation;
    const char *before = dft_environment_find(&run->environment, "LD_PRELOAD");

    if (!dft_installation_find(&installation)) {
        dft_tool_warn("only programs linked with the runtime are traced");
        return;
    }
    char *library = dft_tool_format("%s/lib/libdftrace.so", installation.prefix);
    if (access(library, R_OK) != 0 || strpbrk(library, ": ")) {
        dft_tool_warn(
            "cannot preload %s: %s; only programs linked with the runtime are traced", library,
            strpbrk(library, ": ") ? "its path has a blank or a colon in it" : strerror(errno));
    } else {
        char *more = find_heap_library(run, installation.prefix);
        char *io = find_io_library(run, installation.prefix);
        char *ours = dft_tool_format("%s%s%s", io, library, more);
        char *value =
            dft_tool_format("%s%s%s", ours, before && *before ? ":" : "", before ? before : "");
        dft_environment_set(&run->environment, "DFTRACER_PRELOAD", ours);
        dft_environment_set(&run->environment, "LD_PRELOAD", value);
        free(more);
        free(io);
        free(ours);
        free(value);
        allow_any_link_order(run);
    }
    free(library);
    dft_installation_free(&installation);
}

/* Makes the directories of DFTRACER_DATA_DIR absolute: programs may run in another directory. */
static void settle_data_directories(struct run *run)
{
    const char *at = dft_environment_find(&run->environment, "DFTRACER_DATA_DIR");

    if (!at || !*at || strcasecmp(at, "all") == 0)
        return;
    char *settled = dft_tool_copy("", 0);
    for (; *at; at += strspn(at, ":")) {
        char *one = dft_tool_copy(at, strcspn(at, ":"));
        char *path = dft_tool_absolute(one);
        char *more = dft_tool_format("%s%s%s", settled, *settled ? ":" : "", path);
        free(settled);
        free(path);
        free(one);
        settled = more;
        at += strcspn(at, ":");
    }
    dft_environment_set(&run->environment, "DFTRACER_DATA_DIR", settled);
    free(settled);
}

static void set_environment(struct run *run, enum dft_program_kind kind)
{
    char *pid = dft_tool_format("%ld", (long)run->host);

    const char *enable = dft_environment_find(&run->environment, "DFTRACER_ENABLE");
    if (!enable || strcmp(enable, "attach") != 0)
        dft_environment_set(&run->environment, "DFTRACER_ENABLE", "1");
    dft_environment_set(&run->environment, "DFTRACER_LOG_FILE", run->prefix);
    dft_environment_set(&run->environment, "DFTRACER_SPOOL_DIR", run->directory);
    dft_environment_set(&run->environment, "DFTRACER_HOSTED", pid);
    settle_data_directories(run);
    free(pid);
    if (kind != DFT_PROGRAM_OTHER_MACHINE) /* its dynamic loader would print an error */
        preload_runtime(run);
}

/* --- the host --- */

static void add_trace(struct run *run, const char *path, uint64_t events)
{
    run->traces =
        dft_tool_grow(run->traces, run->trace_count, &run->trace_room, sizeof *run->traces);
    run->traces[run->trace_count++] = (struct trace){dft_tool_copy(path, strlen(path)), events};
}

/* Reads one message with the flags `how` of recv; false if the host has ended. */
static bool hear_host(struct run *run, int how)
{
    struct dft_host_message message;
    ssize_t length;

    do
        length = recv(run->socket, &message, sizeof message, how);
    while (length < 0 && errno == EINTR);
    if (length < 0 && errno == EAGAIN)
        return true;
    if (length != (ssize_t)sizeof message)
        return false;
    message.path[sizeof message.path - 1] = '\0';
    if (message.kind == DFT_HOST_IDLE) {
        run->idle = true;
        run->alive = message;
    } else if (message.kind == DFT_HOST_TRACE) {
        run->dropped += message.dropped;
        run->lost += message.lost;
        run->failed |= message.failed != 0;
        run->events += message.events;
        if (message.events == 0)
            run->silent += !message.failed;
        else
            add_trace(run, message.path, message.events);
    }
    return true;
}

static bool start_host(struct run *run)
{
    int sockets[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return false;
    run->host = fork();
    if (run->host == 0) {
        close(sockets[0]); /* otherwise, the host would not notice the end of this process */
        dft_run_host(run->directory, sockets[1]);
    }
    close(sockets[1]);
    run->socket = sockets[0];
    return run->host > 0 && hear_host(run, 0); /* READY */
}

/* Asks the host to answer when the traces of all processes that have ended are complete. */
static bool ask_host(const struct run *run)
{
    char word = DFT_HOST_ASK;
    ssize_t length;

    do
        length = send(run->socket, &word, 1, MSG_NOSIGNAL);
    while (length < 0 && errno == EINTR);
    return length == 1;
}

/* Waits for either one; if poll fails, both are tried after a while. */
static void wait_for_either(struct pollfd waits[2])
{
    if (poll(waits, 2, -1) >= 0)
        return;
    for (size_t i = 0; i < 2; i++)
        waits[i].revents = errno == EINTR || waits[i].fd < 0 ? 0 : POLLIN;
    if (errno != EINTR)
        nanosleep(&(struct timespec){0, POLL_AGAIN_NS}, NULL);
}

/* Until the program has ended and its traces are complete. */
static void wait_for_end(struct run *run)
{
    bool hosted = true, asked = false, said = false;

    while (run->child.status < 0 || (hosted && !run->idle && !run->impatient)) {
        struct pollfd waits[] = {{.fd = run->child.signals, .events = POLLIN},
                                 {.fd = hosted ? run->socket : -1, .events = POLLIN}};
        if (run->child.status >= 0 && !asked && hosted) {
            asked = ask_host(run);
            hosted = asked;
        } else {
            wait_for_either(waits);
            if (waits[0].revents)
                run->impatient |= dft_child_hear_signals(&run->child);
            if (waits[1].revents)
                hosted = hear_host(run, MSG_DONTWAIT);
        }
        if (!hosted && !said) {
            said = true;
            dft_tool_error("the process that writes the traces cannot be reached; if it was ended, "
                           "dftrace recover %s completes them after the program",
                           run->directory);
        }
    }
}

/* --- afterwards --- */

/* Most calls first, of equal ones by name. */
static int compare_traces(const void *left, const void *right)
{
    const struct trace *a = left;
    const struct trace *b = right;

    if (a->events != b->events)
        return a->events > b->events ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* Prints the traces with the most calls. */
static void name_traces(const struct run *run)
{
    size_t named = run->trace_count <= NAMED_MAX ? run->trace_count : NAMED_MAX - 1;

    if (run->trace_count > named)
        qsort(run->traces, run->trace_count, sizeof *run->traces, compare_traces);
    for (size_t i = 0; i < named; i++)
        dft_tool_note("trace: %s", run->traces[i].path);
    if (run->trace_count > named)
        dft_tool_note("and %zu more: %s-*", run->trace_count - named, run->prefix);
}

static void add_own_trace(void *context, const char *path)
{
    add_trace(context, path, 0);
}

static void show_report(const struct run *run)
{
    char **paths = dft_tool_zeroed(run->trace_count, sizeof *paths);

    for (size_t i = 0; i < run->trace_count; i++)
        paths[i] = run->traces[i].path;
    if (run->events > QUICK_CALLS)
        dft_tool_note("adding up %llu calls for the report; Ctrl-C leaves it out",
                      (unsigned long long)run->events);
    enum dft_run_report result =
        dft_run_report(&run->child, &run->report_flags, paths, run->trace_count, run->events);
    if (result != DFT_RUN_REPORT_DONE)
        dft_tool_note("%s: dftrace report %s%s",
                      result == DFT_RUN_REPORT_ENDED ? "left out" : "the report failed",
                      run->trace_count == 1 ? paths[0] : run->prefix,
                      run->trace_count == 1 ? "" : "-*");
    free(paths);
}

/* Whether the program itself is the only one that could have been traced, and was not. */
static bool explains_all(const struct run *run, enum dft_program_kind kind)
{
    size_t absent = dft_absent_count(run->absent);

    return absent == 0 ||
           (absent == 1 && (kind == DFT_PROGRAM_STATIC || kind == DFT_PROGRAM_SETTLED));
}

/* Nothing was traced: why, and what to do about it. */
static void explain_nothing(struct run *run, enum dft_program_kind kind)
{
    if (run->silent && run->io)
        dft_tool_error("nothing was traced: no I/O call of those that are recorded was made, and "
                       "none of the instrumented functions was called");
    else if (run->silent)
        dft_tool_error("nothing was traced: none of the instrumented functions was called");
    else if (run->io && kind == DFT_PROGRAM_PLAIN && explains_all(run, kind))
        dft_tool_error("nothing was traced: %s has not loaded libdftrace-io.so; static "
                       "executables and programs of another C library than glibc cannot, and their "
                       "I/O calls are not seen",
                       run->program);
    else if (explains_all(run, kind))
        dft_program_explain(kind, run->program);
    else
        dft_absent_report(run->absent);
}

static void report_end(struct run *run, enum dft_program_kind kind)
{
    bool nothing = run->trace_count == 0 && run->idle && run->alive.alive == 0 && !run->failed;

    if (nothing)
        dft_foreign_traces_find(run->prefix, run->began, add_own_trace, run);
    bool report = run->trace_count && run->report;
    if (!report || run->trace_count > 1 || run->events > QUICK_CALLS)
        name_traces(run);
    if (run->impatient && !run->idle)
        dft_tool_note("the traces are being completed in the background: %s-*", run->prefix);
    if (run->dropped)
        dft_tool_error("%llu calls were dropped: the spool was full%s; -e SPOOL_MAX=SIZE makes it "
                       "larger",
                       (unsigned long long)run->dropped,
                       run->failed ? " while the trace could not be written" : "");
    if (run->lost)
        dft_tool_error("%llu calls could not be written", (unsigned long long)run->lost);
    if (run->alive.alive)
        dft_tool_note("%s (pid %ld)%s still running: the trace will be complete when it has ended",
                      run->alive.app, (long)run->alive.pid,
                      run->alive.alive > 1 ? " and others are" : " is");
    if (nothing && run->trace_count == 0)
        explain_nothing(run, kind);
    else
        dft_absent_report(run->absent);
    if (run->idle && run->alive.alive == 0) /* others may still match something */
        dft_run_rules_tell(&run->rules, run->program);
    if (report) /* names a single trace itself */
        show_report(run);
}

static int explain_missing(const struct run *run, int error)
{
    dft_tool_error("cannot run %s: %s", run->arguments[0],
                   error == EISDIR ? "it is a directory" : strerror(error));
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* No descriptor of this process may be 0, 1 or 2. */
static void fill_low_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
            return;
}

/* Waits until the host has removed its directory. */
static void wait_for_host(const struct run *run)
{
    while (waitpid(run->host, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!dft_spool_file_remove_run(run->directory) && errno != ENOENT && errno != ENOTEMPTY)
        dft_tool_error("cannot remove the directory %s: %s", run->directory, strerror(errno));
}

static int trace_program(struct run *run)
{
    char *changed;
    enum dft_program_kind kind = dft_program_inspect(run->program, &changed);

    if (changed)
        dft_tool_warn("%s has changed since %s was compiled by it: what is traced is what the old "
                      "list named; compile again",
                      changed, run->program);
    free(changed);
    clock_gettime(CLOCK_REALTIME_COARSE, &run->began);
    fill_low_descriptors();
    if (!check_prefix(run) || !make_directory(run))
        return EXIT_OWN_FAILURE;
    if (!dft_named_rules_share(&run->named, &run->config, &run->rules, &run->environment,
                               run->directory)) {
        dft_spool_file_remove_run(run->directory);
        return EXIT_OWN_FAILURE;
    }
    if (!dft_child_take_signals(&run->child) || !start_host(run)) {
        dft_tool_error("cannot start the process that writes traces: %s", strerror(errno));
        dft_spool_file_remove_run(run->directory);
        return EXIT_OWN_FAILURE;
    }
    dft_run_rules_share(&run->rules, run->directory);
    set_environment(run, kind);
    int error =
        dft_child_start(&run->child, run->program, run->arguments, run->environment.entries);
    if (error) {
        close(run->socket); /* the host ends and removes its directory */
        wait_for_host(run);
        return explain_missing(run, error);
    }
    signal(SIGPIPE,
           SIG_IGN); /* the exit status is the program's, even if stderr cannot be written */
    wait_for_end(run);
    report_end(run, kind);
    close(run->socket);
    if (run->idle && run->alive.alive == 0)
        wait_for_host(run);
    fflush(NULL);
    return dft_child_end_alike(&run->child);
}

int dft_cmd_run(int argc, char **argv)
{
    struct run run = {.report = true, .absent = -1, .child = {.status = -1}};

    dft_environment_copy(&run.environment);
    int status = read_request(&run, argc, argv);
    if (status < 0 && !prepare(&run))
        status = EXIT_OWN_FAILURE;
    if (status < 0) {
        run.program = dft_program_find(run.arguments[0]);
        status = run.program ? trace_program(&run) : explain_missing(&run, errno);
    }
    for (size_t i = 0; i < run.trace_count; i++)
        free(run.traces[i].path);
    free(run.traces);
    dft_run_rules_free(&run.rules);
    dft_named_rules_free(&run.named);
    dft_run_config_free(&run.config);
    free(run.program);
    free(run.prefix);
    dft_environment_free(&run.environment);
    return status;
}
