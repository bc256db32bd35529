/*
 * Programs that ran without the runtime: see absent.h. Runs in the main thread of the front
 * process.
 */
#include "tool/run/absent.h"

#include "dftrace/absent.h"
#include "tool/base/tool.h"
#include "tool/run/program.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMED_MAX 5

int dft_absent_make(const char *directory)
{
    char *path = dft_tool_format("%s/" DFTRACE_ABSENT_FILE, directory);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    free(path);
    return fd;
}

/* The contents of the file, NUL-terminated, to be freed. Programs only append to it. */
static char *read_lines(int fd)
{
    struct stat status;
    size_t size = fd >= 0 && fstat(fd, &status) == 0 ? (size_t)status.st_size : 0;
    char *text = dft_tool_zeroed(size + 1, 1);
    ssize_t length = size ? pread(fd, text, size, 0) : 0;

    text[length > 0 ? length : 0] = '\0';
    return text;
}

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

size_t dft_absent_count(int fd)
{
    char *text = read_lines(fd);
    size_t count = count_lines(text);

    free(text);
    return count;
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Why a program of this kind had no runtime, in few words. */
static const char *explain(const char *path)
{
    switch (dft_program_inspect(path, NULL)) {
    case DFT_PROGRAM_STATIC:
        return ", static";
    case DFT_PROGRAM_SETTLED:
        return ", not position-independent";
    default:
        return "";
    }
}

/* "PROGRAM (2 times), OTHER" of sorted lines; to be freed. */
static char *list_programs(char **lines, size_t count)
{
    char *list = dft_tool_copy("", 0);
    unsigned named = 0;

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(lines[i], lines[next]) == 0; next++)
            ;
        if (named++ == NAMED_MAX)
            break;
        char *longer = dft_tool_format("%s%s%s (%zu%s)", list, i ? ", " : "", lines[i], next - i,
                                       explain(lines[i]));
        free(list);
        list = longer;
    }
    if (named > NAMED_MAX) {
        char *longer = dft_tool_format("%s and others", list);
        free(list);
        list = longer;
    }
    return list;
}

size_t dft_absent_report(int fd)
{
    char *text = read_lines(fd);
    size_t count = count_lines(text);
    char **lines = dft_tool_zeroed(count, sizeof *lines);
    char *rest = text;

    for (size_t i = 0; i < count; i++)
        lines[i] = strsep(&rest, "\n");
    qsort(lines, count, sizeof *lines, compare_lines);
    if (count) {
        char *list = list_programs(lines, count);
        dft_tool_error("%zu instrumented program%s ran untraced, without the runtime: %s; link "
                       "%s with what dftrace config --libs prints",
                       count, count == 1 ? "" : "s", list, count == 1 ? "it" : "them");
        free(list);
    }
    free(lines);
    free(text);
    return count;
}
