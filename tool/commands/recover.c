/*
 * dftrace recover: completes the traces of programs that were killed, from their spools.
 *
 * Spools are untrusted; the spool's own functions check them. A spool whose process may be alive is
 * never changed, and no spool is removed before its trace is complete.
 */
#include "os/process.h"
#include "spool/older/older.h"
#include "tool/base/flags.h"
#include "tool/base/text.h"
#include "tool/base/tool.h"
#include "tool/run/environment.h"
#include "tool/run/relocate.h"
#include "tool/run/spool_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_DIRECTORY "/dev/shm"

enum { FLAG_OUTPUT, FLAG_LIST, FLAG_ALL };

static const struct dft_flag flags[] = {
    {"-o", "PREFIX|DIRECTORY",
     "put traces at PREFIX-<app>-<pid>.pfw.gz, or into DIRECTORY (default: where they were begun)"},
    {"--list", NULL, "only name the spools that can be recovered"},
    {"--all", NULL, "also name what programs of other users may have left; for root always"},
    {0},
};

static const struct dft_help usage = {
    .command = "recover",
    .synopsis = "[-o PREFIX|DIRECTORY] [--list] [--all] [SPOOL|DIRECTORY]...",
    .text =
        "Completes the traces of programs that were killed, or whose trace could not be written\n"
        "because the disk was full. What they had recorded is still in their spool, a file\n"
        "dftrace-<pid>-... in DFTRACER_SPOOL_DIR, or in /dev/shm; this command looks there if\n"
        "nothing else is named. Calls that were open are shown as unfinished. A trace that\n"
        "was partly written is continued; no call is lost or duplicated. A spool is removed\n"
        "when its trace is complete.",
    .flags = flags,
    .notes = "The spools of running programs are not changed.",
};

struct recovery {
    bool list;
    bool all;     /* users */
    char *prefix; /* absolute; NULL: as recorded in the spools */
    unsigned found;
    unsigned failed;
};

/* --- listing --- */

/* A program that was killed while it created its spool has not written its name into it. */
static const char *name_program(const struct dft_spool_header *header)
{
    return header->app[0] ? header->app : "?";
}

static void list_spool(struct recovery *recovery, const struct dft_spool *spool,
                       const struct dft_spool_findings *findings, uint64_t bytes)
{
    const struct dft_spool_header *header = spool->header;
    time_t started = (time_t)(header->started.realtime_ns / 1000000000u);
    unsigned long long calls = findings->calls + findings->open;
    const char *name = name_program(header);
    struct tm local;
    char date[32] = "?";

    if (started > 0 && localtime_r(&started, &local))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
    if (recovery->found++ == 0)
        printf("%-19s  %8s  %9s  %10s  %-16s  %s\n", "STARTED", "PID", "SIZE", "CALLS", "PROGRAM",
               "SPOOL");
    printf("%-19s  %8ld  %8lluk  %10llu  ", date, (long)header->pid,
           (unsigned long long)(bytes / 1024), calls);
    dft_text_print_visible(stdout, dft_text(name));
    printf("%*s  ", strlen(name) < 16 ? (int)(16 - strlen(name)) : 0, "");
    dft_text_print_visible(stdout, dft_text(spool->path));
    putchar('\n');
}

/* Only reads, without a lock. */
static void look_at_spool(struct recovery *recovery, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct dft_spool spool;
    struct dft_spool_findings findings;
    struct stat status;

    if (fd < 0)
        return;
    int error = dft_spool_peek(&spool, fd, path);
    if (error == -EPROTONOSUPPORT)
        error = dft_spool_open_older(&spool, fd, path);
    if (!error) {
        enum dft_owner_state state = dft_owner_look(&spool);
        if ((state == DFT_OWNER_GONE || state == DFT_OWNER_REPLACED) &&
            dft_spool_examine(&spool, &findings) == 0 && fstat(fd, &status) == 0)
            list_spool(recovery, &spool, &findings, (uint64_t)status.st_blocks * 512);
        dft_spool_unmap(&spool);
    }
    close(fd);
}

/* --- recovering --- */

static void fail(struct recovery *recovery, const char *path, const char *why)
{
    recovery->failed++;
    dft_tool_error("%s: %s", path, why);
}

static void remove_spool(struct recovery *recovery, struct dft_spool *spool)
{
    int error = dft_spool_unlink(spool);

    if (error) {
        dft_tool_error("cannot remove the spool %s: %s; nothing in it is needed any more",
                       spool->path, strerror(-error));
        recovery->failed++;
    }
}

static void begin_outcome(const struct dft_spool_header *header)
{
    dft_text_print_visible(stdout, dft_text(name_program(header)));
    printf(" (pid %ld): ", (long)header->pid);
}

static void report_outcome(const struct dft_spool_header *header, const char *outcome)
{
    begin_outcome(header);
    puts(outcome);
}

static void report_result(const struct dft_relocation *relocation,
                          const struct dft_spool_header *header,
                          const struct dft_writer_result *result, uint64_t damaged)
{
    if (result->restarted)
        dft_tool_warn("%s: the part of this trace that had been written before is gone or was "
                      "changed; only what was still in the spool is here",
                      result->path);
    if (damaged)
        dft_tool_warn("%s: the spool was damaged in %llu place%s; calls may be missing",
                      result->path, (unsigned long long)damaged, damaged == 1 ? "" : "s");
    if (result->events == 0) {
        report_outcome(header, "no call was recorded");
        return;
    }
    char *path = dft_relocate_end(relocation, header, result->path);
    begin_outcome(header);
    printf("%llu calls in ", (unsigned long long)result->events);
    dft_text_print_visible(stdout, dft_text(path));
    putchar('\n');
    free(path);
}

static void complete_trace(struct recovery *recovery, struct dft_spool *spool,
                           const struct dft_relocation *relocation, uint64_t damaged)
{
    struct dft_writer_result result;
    char path[1500] = "";
    int error = 0;
    struct dft_writer *writer = dft_writer_open(spool, &error, path, sizeof path);

    if (!writer) {
        dft_tool_error("cannot make the trace %s: %s. The spool stays: `dftrace recover -o "
                       "DIRECTORY %s` completes the trace in another place",
                       path, strerror(-error), spool->path);
        recovery->failed++;
        return;
    }
    dft_writer_start_helpers(writer);
    dft_writer_finish(writer);
    dft_writer_result(writer, &result);
    if (result.error) {
        dft_tool_error("cannot write to %s: %s; %llu calls are missing. The spool stays: `dftrace "
                       "recover -o DIRECTORY %s` completes the trace in another place",
                       result.path, strerror(-result.error), (unsigned long long)result.lost,
                       spool->path);
        recovery->failed++;
    } else {
        report_result(relocation, spool->header, &result, damaged);
        remove_spool(recovery, spool);
    }
    dft_writer_close(writer);
}

static void write_trace(struct recovery *recovery, struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;
    struct dft_spool_findings findings;
    struct dft_relocation relocation = {0};
    int error = dft_spool_examine(spool, &findings);

    if (!error)
        error = dft_relocate_begin(&relocation, spool, recovery->prefix);
    if (error) {
        fail(recovery, spool->path, strerror(-error));
    } else {
        if (atomic_load(&header->state) != DFT_SPOOL_STOPPING || header->ended == 0)
            header->ended = findings.latest;
        spool->gone = true;
        complete_trace(recovery, spool, &relocation, findings.damaged);
    }
    dft_relocate_release(&relocation);
}

static void recover_spool(struct recovery *recovery, struct dft_spool *spool)
{
    static const char *const refusals[] = {
        [DFT_OWNER_ALIVE] = "its process is running: its trace will be complete when it has ended",
        [DFT_OWNER_FOREIGN] = "its process is of another machine or container: run dftrace recover "
                              "there",
    };
    enum dft_owner_state state = dft_owner_look(spool);

    if (state == DFT_OWNER_ALIVE || state == DFT_OWNER_FOREIGN) {
        fail(recovery, spool->path, refusals[state]);
        return;
    }
    recovery->found++;
    if (atomic_load(&spool->header->state) == DFT_SPOOL_STARTING) {
        report_outcome(spool->header, "killed before its first call");
        remove_spool(recovery, spool);
        return;
    }
    if (atomic_load(&spool->header->state) == DFT_SPOOL_FINISHED || dft_writer_is_complete(spool)) {
        report_outcome(spool->header, "the trace is complete");
        remove_spool(recovery, spool);
        return;
    }
    write_trace(recovery, spool);
}

static void explain(struct recovery *recovery, const char *path, int error)
{
    uint32_t version = error == -EPROTONOSUPPORT ? dft_spool_file_version(path) : 0;

    if (version == 0) {
        fail(recovery, path, dft_spool_file_explain(error));
        return;
    }
    recovery->failed++;
    if (version >= DFT_OLDER_FIRST && version <= DFT_SPOOL_VERSION)
        dft_tool_error("%s: a spool of format version %u from before this version was complete, or "
                       "damaged. Use the dftrace recover of the installation that its program was "
                       "traced by",
                       path, version);
    else
        dft_tool_error(
            "%s: a spool of format version %u; this dftrace reads versions %u to %u. Use "
            "the dftrace recover of the installation that its program was traced by",
            path, version, DFT_OLDER_FIRST, DFT_SPOOL_VERSION);
}

/* `named`: the user has named the file, so a message says why it is skipped. */
static void handle_file(struct recovery *recovery, const char *path, bool named)
{
    struct dft_spool_file file;

    if (recovery->list) {
        look_at_spool(recovery, path);
        return;
    }
    /*
     * Checked before the spool is read: if the process is dead, the spool does not change any more.
     */
    bool gone = dft_spool_file_pid(path) && dft_process_is_dead(dft_spool_file_pid(path));
    int error = dft_spool_file_open_left(&file, path);
    bool dead = gone && (error == -ENODATA || error == -EPROTONOSUPPORT || error == -EBADMSG);
    if (error == -ENODATA && dead) {
        unlink(path); /* killed before its first call */
    } else if (error && (dead || named || !dft_spool_file_is_expected(error))) {
        explain(recovery, path, error);
    } else if (!error) {
        bool alive = dft_owner_look(&file.spool) == DFT_OWNER_ALIVE;
        if (named || !alive)
            recover_spool(recovery, &file.spool);
        dft_spool_file_close(&file);
    }
}

static int is_ours(const struct dirent *entry)
{
    return strncmp(entry->d_name, DFT_SPOOL_FILE_PREFIX, sizeof DFT_SPOOL_FILE_PREFIX - 1) == 0;
}

/*
 * Only the owner of a spool trusts its contents; for others, only the pid in the name shows whether
 * its process has ended. A process in another container seems to have ended, so users are told of
 * it only if they ask.
 */
static void name_owner(const struct recovery *recovery, const char *path, uid_t owner)
{
    int32_t pid = dft_spool_file_pid(path);

    if (recovery->all && pid && dft_process_is_dead(pid))
        dft_tool_note("%s: left by a program of user %ld, who can recover it", path, (long)owner);
}

static void remove_run_directory(const char *directory)
{
    int lock = dft_spool_file_lock_run(directory);

    if (lock >= 0) {
        dft_spool_file_remove_run(directory);
        close(lock);
    }
}

static void handle_directory(struct recovery *recovery, const char *directory, bool inner)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_ours, alphasort);

    if (count < 0 && !inner)
        fail(recovery, directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path = dft_tool_format("%s/%s", directory, entries[i]->d_name);
        struct stat status;
        if (lstat(path, &status) == 0) {
            bool own = status.st_uid == geteuid();
            if (S_ISREG(status.st_mode) && !own)
                name_owner(recovery, path, status.st_uid);
            else if (S_ISREG(status.st_mode))
                handle_file(recovery, path, false);
            else if (own && S_ISDIR(status.st_mode) && !inner &&
                     strncmp(entries[i]->d_name, DFT_RUN_DIRECTORY_PREFIX,
                             sizeof DFT_RUN_DIRECTORY_PREFIX - 1) == 0)
                handle_directory(recovery, path, true);
        } else if (errno != ENOENT) { /* another recovery has completed it */
            fail(recovery, path, strerror(errno));
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    if (inner && !recovery->list)
        remove_run_directory(directory);
}

/* A spool that the host of `dftrace run` has left is in a directory of that run. */
static void handle_named_file(struct recovery *recovery, const char *path)
{
    const char *end = strrchr(path, '/');
    char *directory = end ? dft_tool_copy(path, (size_t)(end - path)) : NULL;
    const char *slash = directory ? strrchr(directory, '/') : NULL;

    handle_file(recovery, path, true);
    if (directory && !recovery->list &&
        strncmp(slash ? slash + 1 : directory, DFT_RUN_DIRECTORY_PREFIX,
                sizeof DFT_RUN_DIRECTORY_PREFIX - 1) == 0)
        remove_run_directory(directory);
    free(directory);
}

static void handle_word(struct recovery *recovery, const char *word)
{
    struct stat status;

    if (lstat(word, &status) != 0)
        fail(recovery, word, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        handle_directory(recovery, word, false);
    else
        handle_named_file(recovery, word);
}

/* --- the command line --- */

static int run(struct recovery *recovery, const char *const *words, size_t count)
{
    const char *directory = dft_environment_get("DFTRACER_SPOOL_DIR");

    if (!directory || !*directory)
        directory = DEFAULT_DIRECTORY;
    for (size_t i = 0; i < count; i++)
        handle_word(recovery, words[i]);
    if (count == 0)
        handle_directory(recovery, directory, false);
    if (recovery->found == 0 && recovery->failed == 0 && count == 0)
        printf("no program has left a spool in %s\n", directory);
    else if (recovery->found == 0 && recovery->failed == 0)
        puts("no spool to recover there");
    return recovery->failed ? DFT_EXIT_FAILED : DFT_EXIT_OK;
}

int dft_cmd_recover(int argc, char **argv)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    struct recovery recovery = {.all = geteuid() == 0};
    const char **words = dft_tool_zeroed((size_t)argc, sizeof *words);
    size_t count = 0;
    int status = -1;

    while (status < 0) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            words[count++] = line.value;
            break;
        case DFT_FLAG_FOUND:
            if (line.index == FLAG_LIST) {
                recovery.list = true;
            } else if (line.index == FLAG_ALL) {
                recovery.all = true;
            } else {
                free(recovery.prefix);
                recovery.prefix = dft_tool_absolute(line.value);
            }
            break;
        case DFT_FLAG_HELP:
            status = DFT_EXIT_OK;
            break;
        case DFT_FLAG_WRONG:
            status = DFT_EXIT_USAGE;
            break;
        case DFT_FLAG_END:
            status = run(&recovery, words, count);
            break;
        }
    }
    free(recovery.prefix);
    free(words);
    return status;
}
