/*
 * Scans JSON token by token, in memory that may end before the text does.
 *
 * A step that reaches the end of the memory returns DFT_SCAN_MORE and leaves `at` where the step
 * began, so that the caller can bring more bytes and repeat it. Strict: what RFC 8259 does not
 * allow is an error. Only dft_scan_decode allocates.
 */
#ifndef DFT_TOOL_TRACE_JSON_H
#define DFT_TOOL_TRACE_JSON_H

#include "tool/base/scratch.h"
#include "tool/base/text.h"

/* The deepest nesting of containers. No real trace comes near it. */
#define DFT_SCAN_DEPTH 512

enum dft_scan {
    DFT_SCAN_OK,
    DFT_SCAN_MORE, /* the memory ends inside a token or value */
    DFT_SCAN_BAD,  /* see `fault` */
};

struct dft_scanner {
    const char *at; /* the next byte to read */
    const char *end;
    /* Valid after DFT_SCAN_BAD: where, and either what was expected there or what is wrong. */
    const char *fault;
    const char *expected;
    const char *problem;
};

void dft_scan_space(struct dft_scanner *scanner);

/* A step that fails for the caller's reasons: `expected` as in "found 'x', expected ...". */
enum dft_scan dft_scan_expected(struct dft_scanner *scanner, const char *at, const char *expected);
enum dft_scan dft_scan_problem(struct dft_scanner *scanner, const char *at, const char *problem);

/* Skips space, then takes `byte` or fails with `expected`. */
enum dft_scan dft_scan_byte(struct dft_scanner *scanner, char byte, const char *expected);

/* Skips space, then shows the next byte without taking it. */
enum dft_scan dft_scan_peek(struct dft_scanner *scanner, char *byte);

/* The text between the quotes of a string; `plain` if it contains no escapes. */
struct dft_scan_string {
    struct dft_text raw;
    bool plain;
};

enum dft_scan dft_scan_string(struct dft_scanner *scanner, struct dft_scan_string *string);

/* The value of a string: valid UTF-8, in the scanned memory or in `scratch`. */
struct dft_text dft_scan_decode(struct dft_scan_string string, struct dft_scratch *scratch);

/* The token of a number. It is complete: the byte after it is in the memory, too. */
enum dft_scan dft_scan_number(struct dft_scanner *scanner, struct dft_text *token);

/* The state of skipping a value that may be longer than the memory. All zero initially. */
struct dft_scan_skip {
    unsigned depth;
    unsigned char state;
    char stack[DFT_SCAN_DEPTH];
};

/* Continues where it stopped: after DFT_SCAN_MORE, what is before `at` is not needed any more. */
enum dft_scan dft_scan_skip(struct dft_scanner *scanner, struct dft_scan_skip *skip);

/* A whole value in the memory; its raw text. */
enum dft_scan dft_scan_value(struct dft_scanner *scanner, struct dft_text *raw);

/*
 * One step through an object's members. `first` is true before the first one and is changed;
 * `done` becomes true at the closing brace. The opening brace is the caller's.
 */
enum dft_scan dft_scan_member(struct dft_scanner *scanner, bool *first, bool *done,
                              struct dft_scan_string *key);

/* The token of a number times 10^power, exact; `rounded` if digits were lost. */
bool dft_number_scale(struct dft_text token, int power, int64_t *value, bool *rounded);

/*
 * Parses microseconds with exactly three decimals, as dftrace writes them. False, without any
 * change, for everything else and if the memory ends directly after the number.
 */
bool dft_scan_microseconds(struct dft_scanner *scanner, int64_t *nanoseconds);

#endif
