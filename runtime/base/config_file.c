/*
 * See config_file.h. Runs once, in a constructor.
 *
 * The program must not notice the helper. A child that executes another program sends SIGCHLD when
 * it ends, and any wait() finds it. So the helper is the child of a mediator, which is forked by a
 * system call (no handler of pthread_atfork runs), executes nothing, and is therefore found only by
 * a wait with __WCLONE and ends without a signal. The helper gets an empty environment and no
 * descriptors of the program except standard input and error.
 */
#include "runtime/base/config_file.h"
#include "runtime/base/log.h"

#include <stddef.h>

struct dft_config_rules dft_config_rules;

#ifdef DFT_STATIC

bool dft_config_file_read(const char *path, dft_config_setter *set)
{
    (void)set;
    dft_log(DFT_LEVEL_ERROR,
            "DFTRACER_CONFIGURATION=%s: a program that is linked with the static runtime cannot "
            "read it; use `dftrace run`, or set what `dftrace check %s` prints; not tracing",
            path, path);
    return false;
}

#else

#include "configuration/answer.h"
#include "os/descriptor.h"
#include "os/hidden_child.h"
#include "os/time.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define HELPER "/dftrace/dftrace-configuration"
#define PATIENCE_NS 10000000000u
#define REAP_WAIT_NS 1000000
#define REAP_WAITS_MAX 1000
#define EXIT_NOT_EXECUTED 127

struct answer {
    char *text; /* in a mapping of DFT_ANSWER_SIZE_MAX bytes */
    size_t length;
};

static bool refuse(const char *path, const char *what, long error)
{
    dft_log(DFT_LEVEL_ERROR, "cannot read DFTRACER_CONFIGURATION=%s: %s: %s; not tracing", path,
            what, strerror((int)-error));
    return false;
}

/* The helper is in a folder beside this library. */
static bool find_helper(char *helper, size_t size)
{
    Dl_info info;

    if (!dladdr((void *)&dft_config_rules, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = snprintf(helper, size, "%.*s" HELPER, slash ? (int)(slash - info.dli_fname) : 1,
                          slash ? info.dli_fname : ".");
    return length > 0 && (size_t)length < size;
}

/* In the helper's process: system calls only, and no signal handlers. */
static _Noreturn void execute(const char *helper, const char *path, int output)
{
    const char *const arguments[] = {helper, path, NULL};
    const char *const environment[] = {NULL};

    dft_hidden_child_end_with_parent();
    if (dft_descriptor_pass_on(output, STDOUT_FILENO)) {
        dft_descriptor_close_range(STDERR_FILENO + 1, UINT_MAX, 0);
        dft_hidden_child_execute(helper, arguments, environment);
    }
    dft_hidden_child_exit(EXIT_NOT_EXECUTED);
}

/* In the mediator: likewise. Exits as the helper does. */
static _Noreturn void mediate(const char *helper, const char *path, int output)
{
    int status = 0;
    pid_t child = dft_hidden_child_make();

    if (child == 0)
        execute(helper, path, output);
    dft_descriptor_close(output);
    while (child > 0 && dft_hidden_child_wait(child, &status, __WALL) == -EINTR)
        ;
    int result = child < 0 || !WIFEXITED(status) ? EXIT_NOT_EXECUTED : WEXITSTATUS(status);
    dft_hidden_child_exit(result);
}

/* Reads until the end of the answer. False if it takes too long or does not fit. */
static bool receive(int from, struct answer *answer)
{
    uint64_t deadline = dft_time_now(CLOCK_MONOTONIC) + PATIENCE_NS;
    long count = 1;

    while (count != 0) {
        uint64_t now = dft_time_now(CLOCK_MONOTONIC);
        if (now >= deadline || answer->length == DFT_ANSWER_SIZE_MAX)
            return false;
        if (!dft_descriptor_wait_readable(from, deadline - now))
            continue;
        count = dft_descriptor_read(from, answer->text + answer->length,
                                    DFT_ANSWER_SIZE_MAX - answer->length);
        if (count < 0 && count != -EINTR)
            return false;
        answer->length += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Returns the exit status of the mediator; -1 if it has none. */
static int reap(pid_t child, bool is_late)
{
    int status = 0;

    if (is_late)
        dft_hidden_child_kill(child);
    for (unsigned i = 0; i < REAP_WAITS_MAX; i++) {
        pid_t result =
            dft_hidden_child_wait(child, &status, is_late ? WNOHANG | __WCLONE : __WCLONE);
        if (result == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (result < 0 && result != -EINTR)
            return -1;
        dft_time_sleep(REAP_WAIT_NS);
    }
    return -1;
}

/* Whether the last record is the end: nothing is missing. */
static bool is_complete(const struct answer *answer)
{
    return answer->length >= 2 && answer->text[answer->length - 2] == DFT_ANSWER_END &&
           answer->text[answer->length - 1] == '\0' &&
           (answer->length == 2 || answer->text[answer->length - 3] == '\0');
}

static bool ask_helper(const char *helper, const char *path, struct answer *answer)
{
    int ends[2];
    long error = dft_descriptor_may_execute(helper);

    if (error < 0)
        return refuse(path, helper, error);
    error = dft_descriptor_make_pipe(ends);
    if (error < 0)
        return refuse(path, "a pipe", error);
    pid_t child = dft_hidden_child_make();
    if (child == 0)
        mediate(helper, path, ends[1]);
    dft_descriptor_close(ends[1]);
    bool received = child > 0 && receive(ends[0], answer);
    dft_descriptor_close(ends[0]);
    if (child < 0)
        return refuse(path, "a new process", child);
    int status = reap(child, !received);
    if (received && is_complete(answer))
        return true;
    dft_log(
        DFT_LEVEL_ERROR,
        "cannot read DFTRACER_CONFIGURATION=%s: %s gave no complete answer (exit status %d); not "
        "tracing",
        path, helper, status);
    return false;
}

/* False if the file was refused. The answer is complete, so each record has its NUL. */
static bool use(const char *path, const struct answer *answer, dft_config_setter *set)
{
    bool is_set = true;

    for (const char *at = answer->text, *next; at < answer->text + answer->length; at = next) {
        const char *text = at + 1, *equals = strchr(text, '=');
        next = text + strlen(text) + 1;
        switch ((enum dft_answer) * at) {
        case DFT_ANSWER_SETTING:
            is_set = !equals || set(text, (size_t)(equals - text), equals + 1);
            break;
        case DFT_ANSWER_RULES:
            dft_config_rules = (struct dft_config_rules){text, strlen(text), path};
            break;
        case DFT_ANSWER_INFO:
            dft_log(DFT_LEVEL_INFO, "%s", text);
            break;
        case DFT_ANSWER_WARNING:
            if (is_set)
                dft_log(DFT_LEVEL_WARN, "%s", text);
            break;
        case DFT_ANSWER_ERROR:
            dft_log(DFT_LEVEL_ERROR, "%s; not tracing", text);
            return false;
        case DFT_ANSWER_END:
            break;
        }
    }
    return true;
}

bool dft_config_file_read(const char *path, dft_config_setter *set)
{
    char helper[PATH_MAX];
    struct answer answer = {0};

    if (!find_helper(helper, sizeof helper)) {
        dft_log(DFT_LEVEL_ERROR,
                "cannot read DFTRACER_CONFIGURATION=%s: the path of libdftrace.so is unknown; not "
                "tracing",
                path);
        return false;
    }
    /* Pages that are not used take no memory. The mapping stays: the options are texts in it. */
    answer.text = mmap(NULL, DFT_ANSWER_SIZE_MAX, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (answer.text == MAP_FAILED)
        return refuse(path, "memory", -errno);
    bool answered = ask_helper(helper, path, &answer) && use(path, &answer, set);
    size_t used = answered ? answer.length : 0;
    size_t page = (size_t)1 << 16; /* a multiple of every page size */
    used = (used + page - 1) & ~(page - 1);
    if (used < DFT_ANSWER_SIZE_MAX)
        munmap(answer.text + used, DFT_ANSWER_SIZE_MAX - used);
    return answered;
}

#endif
