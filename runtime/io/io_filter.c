/*
 * Decides which files are excluded from the recording of I/O calls: those outside of the directories
 * of DFTRACER_DATA_DIR, those that the allowlist does not name, and our own. The verdict is asked for
 * when a file is opened, and kept with its descriptor.
 *
 * Runs in traced threads, in any context. Keeps errno.
 */
#include "runtime/io/io_filter.h"
#include "runtime/base/big_stack.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/private_heap.h"
#include "runtime/io/io.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/run_allowlist.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define DIRECTORIES_MAX 64
#define TEXT_MAX (16 * 1024)

/* Canonical paths without a slash at the end; the root directory is empty. */
static struct {
    size_t count;
    size_t used;
    const char *paths[DIRECTORIES_MAX];
    char text[TEXT_MAX];
} directories;

/* Makes a path canonical. The last components need not exist yet. */
static bool make_canonical(const char *path, char canonical[PATH_MAX])
{
    char head[PATH_MAX];
    size_t length = strlen(path);

    if (length == 0 || length >= sizeof head)
        return false;
    memcpy(head, path, length + 1);
    for (;;) {
        if (realpath(head[0] ? head : (path[0] == '/' ? "/" : "."), canonical))
            break;
        char *slash = strrchr(head, '/');
        if (!slash && !head[0])
            return false;
        (slash ? slash : head)[0] = '\0';
    }
    const char *rest = path + strlen(head);
    while (*rest == '/')
        rest++;
    size_t known = strlen(canonical);
    if (known + 1 + strlen(rest) >= PATH_MAX)
        return false;
    if (*rest) {
        if (known > 1)
            canonical[known++] = '/';
        memcpy(canonical + known, rest, strlen(rest) + 1);
    }
    for (size_t end = strlen(canonical); end > 0 && canonical[end - 1] == '/'; end--)
        canonical[end - 1] = '\0';
    return true;
}

static void add_directory(const char *path)
{
    char canonical[PATH_MAX];
    size_t size;

    if (!make_canonical(path, canonical) || directories.count == DIRECTORIES_MAX ||
        directories.used + (size = strlen(canonical) + 1) > sizeof directories.text) {
        dft_log(DFT_LEVEL_ERROR, "DFTRACER_DATA_DIR: '%s' is too long, or one directory too many",
                path);
        return;
    }
    char *copy = memcpy(directories.text + directories.used, canonical, size);
    directories.used += size;
    directories.paths[directories.count++] = copy;
}

void dft_io_filter_begin(void)
{
    const char *at = dft_options.data_dir;
    char path[PATH_MAX];

    if (!at || !*at || strcasecmp(at, "all") == 0)
        return;
    for (; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        if (length >= sizeof path)
            length = sizeof path - 1;
        memcpy(path, at, length);
        path[length] = '\0';
        if (length)
            add_directory(path);
        at += strcspn(at, ":");
    }
}

/* Whether the path is this directory, or in it. */
static bool is_inside(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_in_directories(const char *path)
{
    if (directories.count == 0)
        return true;
    for (size_t i = 0; path[0] == '/' && i < directories.count; i++)
        if (is_inside(path, directories.paths[i]))
            return true;
    return false;
}

/* Our spool, and the traces with our prefix. */
static bool is_our_own(const char *path)
{
    const struct dft_spool *spool = &dft_session.spool;
    size_t length;

    if (!spool->header)
        return false;
    const char *prefix = spool->header->settings.prefix;
    length = strnlen(prefix, sizeof spool->header->settings.prefix);
    if (strncmp(path, prefix, length) == 0 && path[length] == '-' && strstr(path, ".pfw"))
        return true;
    return dft_session_is_hosted() ? is_inside(path, dft_options.spool_dir)
                                   : strcmp(path, spool->path) == 0;
}

struct question {
    const char *path;
    bool is_real;
    bool is_excluded;
};

/*
 * On the big stack, while holding the private heap's lock. Symbolic links and ".." can lead out of a
 * directory and into it.
 */
static void answer(void *argument)
{
    struct question *question = argument;
    const char *path = question->path;
    char canonical[PATH_MAX];
    struct dft_verdict verdict;

    if (directories.count && path[0] == '/' && !question->is_real) {
        if (!make_canonical(path, canonical))
            return;
        path = canonical;
    }
    dft_run_allowlist_judge_plain(DFT_SUBJECT_FILE, path, &verdict);
    question->is_excluded = !is_in_directories(path) || !verdict.traced;
}

EXPORT bool __dftrace_io_excludes(const char *path, bool is_real)
{
    struct question question = {path, is_real, true};
    struct dft_guard guard;

    if (is_our_own(path))
        return true;
    if (directories.count == 0 && !dft_run_allowlist_is_set())
        return false;
    dft_guard_enter(&guard);
    bool outer = dft_busy;
    dft_busy = true; /* realpath is intercepted as well */
    if (dft_private_heap_lock()) {
        dft_big_stack_run(answer, &question);
        dft_private_heap_unlock();
    }
    dft_busy = outer;
    dft_guard_leave(&guard);
    return question.is_excluded;
}
