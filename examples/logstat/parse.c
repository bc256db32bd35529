/*
 * Parses log lines: "ADDRESS METHOD PATH STATUS BYTES MICROSECONDS".
 */
#include "logstat.h"

#include <string.h>

static const char *skip_word(const char *at, const char *end)
{
    const char *space = memchr(at, ' ', (size_t)(end - at));
    return space == NULL ? NULL : space + 1;
}

static const char *parse_path(const char *at, const char *end, char *path)
{
    const char *next = skip_word(at, end);
    if (next == NULL || next - at > PATH_SIZE)
        return NULL;
    size_t length = (size_t)(next - at) - 1;
    memcpy(path, at, length);
    memset(path + length, 0, PATH_SIZE - length);
    return next;
}

/* A number and the character after it, which must be `stop`. */
static const char *parse_number(const char *at, const char *end, char stop, unsigned *value)
{
    const char *start = at;

    *value = 0;
    while (at < end && *at >= '0' && *at <= '9')
        *value = *value * 10 + (unsigned)(*at++ - '0');
    return at == start || at == end || *at != stop ? NULL : at + 1;
}

const char *parse_line(const char *line, const char *end, struct request *request)
{
    const char *at = skip_word(line, end);
    if (at != NULL)
        at = skip_word(at, end);
    if (at != NULL)
        at = parse_path(at, end, request->path);
    if (at != NULL)
        at = parse_number(at, end, ' ', &request->status);
    if (at != NULL)
        at = parse_number(at, end, ' ', &request->bytes);
    if (at != NULL)
        at = parse_number(at, end, '\n', &request->microseconds);
    return at;
}
