/*
 * Messages to the user, and allocation that never fails.
 */
#include "tool/base/tool.h"
#include "tool/base/progress.h"
#include "tool/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_MAX 8192 /* room for two paths */

/* The formatted text, to be freed; NULL if there is no memory. */
static char *format_text(const char *format, va_list arguments)
{
    char *text = NULL;

    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

static void print_message(const char *kind, const char *format, va_list arguments)
{
    char text[MESSAGE_MAX], *line = NULL;
    size_t length = 0;
    /* By a single write: several processes of `dftrace run` share stderr. */
    FILE *memory = open_memstream(&line, &length);
    FILE *out = memory ? memory : stderr;

    /* If stdout and stderr are the same terminal, earlier output must come first. */
    fflush(stdout);
    dft_progress_hide();
    fprintf(out, "dftrace: %s", kind);
    vsnprintf(text, sizeof text, format,
              arguments); /* needs no heap: the message may be about a lack of memory */
    dft_text_print_visible(out, dft_text(text));
    fputc('\n', out);
    if (memory && fclose(memory) == 0)
        fwrite(line, 1, length, stderr);
    free(line);
}

void dft_tool_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message("", format, arguments);
    va_end(arguments);
}

void dft_tool_warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message("warning: ", format, arguments);
    va_end(arguments);
}

void dft_tool_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message("note: ", format, arguments);
    va_end(arguments);
}

void dft_tool_diagnose(const char *file, unsigned line, unsigned column, const char *message)
{
    fflush(stdout);
    dft_text_print_visible(stderr, dft_text(file));
    if (line != 0)
        fprintf(stderr, ":%u", line);
    if (line != 0 && column != 0)
        fprintf(stderr, ":%u", column);
    fputs(": ", stderr);
    dft_text_print_visible(stderr, dft_text(message));
    fputc('\n', stderr);
}

static _Noreturn void give_up(void)
{
    fputs("dftrace: out of memory\n", stderr);
    exit(DFT_EXIT_FAILED);
}

void *dft_tool_resize(void *block, size_t count, size_t size)
{
    void *resized = reallocarray(block, count ? count : 1, size ? size : 1);

    if (!resized)
        give_up();
    return resized;
}

void *dft_tool_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? *room * 2 : 8;
    return dft_tool_resize(array, *room, size);
}

void *dft_tool_zeroed(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);

    if (!block)
        give_up();
    return block;
}

char *dft_tool_copy(const char *text, size_t length)
{
    char *copy = dft_tool_resize(NULL, length + 1, 1);

    if (length > 0) /* the address of an empty text may be NULL */
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *dft_tool_format(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (!text)
        give_up();
    return text;
}

char *dft_tool_absolute(const char *path)
{
    char *directory = path[0] == '/' ? NULL : getcwd(NULL, 0);

    while (directory && path[0] == '.' && path[1] == '/')
        path += 2;
    char *absolute =
        directory ? dft_tool_format("%s/%s", directory, path) : dft_tool_copy(path, strlen(path));
    free(directory);
    return absolute;
}
