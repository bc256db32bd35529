/*
 * The line on the terminal. One thread of the tool uses it.
 */
#include "tool/base/progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 300
#define INTERVAL_MS 100

uint64_t dft_progress_done;
static uint64_t total;       /* 0: unknown */
static uint64_t again_start; /* calls that had been read before they were read again */
static uint64_t again_total; /* calls that are read a second time */
static bool is_shown;
static const char *name = "adding up calls";
static const char *again_name = "reading calls again";

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void dft_progress_expect(uint64_t more)
{
    total += more;
}

void dft_progress_read_again(uint64_t count)
{
    again_start = dft_progress_done;
    again_total = count;
    total += total ? count : 0;
}

void dft_progress_name(const char *wanted)
{
    name = again_name = wanted;
}

static uint64_t percent(uint64_t part, uint64_t whole)
{
    return part < whole ? part * 100 / whole : 100;
}

void dft_progress_show(void)
{
    static int64_t next_ms;
    int64_t now = now_ms();

    if (next_ms == 0)
        next_ms = now + FIRST_MS;
    if (now < next_ms || !isatty(STDERR_FILENO))
        return;
    next_ms = now + INTERVAL_MS;
    if (dft_progress_done - again_start < again_total)
        fprintf(stderr, "\rdftrace: %s: %" PRIu64 "%%\033[K", again_name,
                percent(dft_progress_done - again_start, again_total));
    else if (total)
        fprintf(stderr, "\rdftrace: %s: %" PRIu64 "%%\033[K", name,
                percent(dft_progress_done, total));
    else
        fprintf(stderr, "\rdftrace: %s: %" PRIu64 "\033[K", name, dft_progress_done);
    fflush(stderr);
    is_shown = true;
}

void dft_progress_erase(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

void dft_progress_hide(void)
{
    if (is_shown)
        dft_progress_erase();
    is_shown = false;
}
