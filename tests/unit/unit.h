/*
 * Checks for unit tests: each prints where and what failed, then the test goes on. A test's main
 * returns unit_result().
 */
#ifndef DFT_UNIT_H
#define DFT_UNIT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic unsigned unit_checks; /* some checks run in threads */
static _Atomic unsigned unit_failures;

/* How often to repeat what is random; seldom where every step is dear, as under valgrind. */
static inline int unit_rounds(int rounds)
{
    return getenv("DFTRACE_UNIT_BRIEF") ? (rounds + 99) / 100 : rounds;
}

/* Which row of a table is being checked; NULL outside of tables. */
static const char *unit_row;

static inline bool unit_check(bool holds, const char *file, int line, const char *expression)
{
    unit_checks++;
    if (holds)
        return true;
    unit_failures++;
    printf("%s:%d: ", file, line);
    if (unit_row)
        printf("[%s] ", unit_row);
    printf("failed: %s", expression);
    return false;
}

static inline bool unit_check_true(bool holds, const char *file, int line, const char *expression)
{
    if (!unit_check(holds, file, line, expression))
        printf("\n");
    return holds;
}

static inline bool unit_check_int(intmax_t got, intmax_t want, const char *file, int line,
                                  const char *expression)
{
    bool holds = unit_check(got == want, file, line, expression);
    if (!holds)
        printf(" is %" PRIdMAX ", expected %" PRIdMAX "\n", got, want);
    return holds;
}

static inline bool unit_check_text(const char *got, const char *want, const char *file, int line,
                                   const char *expression)
{
    bool is_equal = got && want ? strcmp(got, want) == 0 : got == want;
    bool holds = unit_check(is_equal, file, line, expression);
    if (!holds)
        printf(" is\n    %s\n  expected\n    %s\n", got ? got : "(null)", want ? want : "(null)");
    return holds;
}

static inline bool unit_check_contains(const char *got, const char *part, const char *file,
                                       int line, const char *expression)
{
    bool holds = unit_check(got && strstr(got, part), file, line, expression);
    if (!holds)
        printf(" is\n    %s\n  expected to contain\n    %s\n", got ? got : "(null)", part);
    return holds;
}

/* Each yields whether it holds, so that what depends on it can be left out. */
#define CHECK(expression) unit_check_true((expression), __FILE__, __LINE__, #expression)
#define CHECK_INT(got, want)                                                                       \
    unit_check_int((intmax_t)(got), (intmax_t)(want), __FILE__, __LINE__, #got)
#define CHECK_TEXT(got, want) unit_check_text((got), (want), __FILE__, __LINE__, #got)
#define CHECK_CONTAINS(got, part) unit_check_contains((got), (part), __FILE__, __LINE__, #got)

static inline int unit_result(void)
{
    printf("%u checks, %u failed\n", unit_checks, unit_failures);
    return unit_failures || !unit_checks ? 1 : 0;
}

/* Numbers that look random, the same in every run. */
static inline uint32_t unit_draw(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

#endif
