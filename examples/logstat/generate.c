/*
 * Generates the access log of a web server, the same one each time: a small random number generator
 * with a fixed seed replaces the visitors.
 */
#include "logstat.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_SIZE = 128 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Few paths are popular, most are rare: the smaller of two numbers is small more often. */
static unsigned pick_page(uint64_t *state)
{
    unsigned first = next_random(state) % 2000;
    unsigned second = next_random(state) % 2000;
    return first < second ? first : second;
}

static int write_line(struct log *log, char *line, uint64_t *state)
{
    static const char *const kinds[] = {"article", "image", "api/item", "search"};
    unsigned page = pick_page(state);
    unsigned status = next_random(state) % 50 == 0 ? 500 : 200;
    unsigned bytes = 200 + next_random(state) % 20000;
    unsigned microseconds = 50 + next_random(state) % 3000;

    log->bytes += bytes;
    log->errors += status >= 500;
    return snprintf(line, LINE_SIZE, "10.0.%u.%u GET /%s/%u %u %u %u\n", page % 7, page % 251,
                    kinds[page % 4], page, status, bytes, microseconds);
}

bool generate_log(struct log *log, size_t lines)
{
    uint64_t state = 42;

    *log = (struct log){.text = malloc(lines * LINE_SIZE + 1), .lines = lines};
    if (log->text == NULL)
        return false;
    for (size_t i = 0; i < lines; i++)
        log->length += (size_t)write_line(log, log->text + log->length, &state);
    return true;
}
