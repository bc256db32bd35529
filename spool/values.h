/*
 * Arguments and results in the attachments of a call, and their description in its site: what the
 * runtime and the writer agree on beside format.h. Pure functions; any thread.
 *
 * The values stand one behind the other, in the order of the description and without gaps, each in
 * the form that its letter says:
 *
 *   numbers, pointers   as many bytes as the description says
 *   text                a state and, for WHOLE and CUT, the length in one byte and the characters
 *   after '&'           a state and, for WHOLE, the value itself
 *
 * After the state ADDRESS eight bytes follow: where the memory is that could not be read. Where the
 * values end early there was no room for more.
 */
#ifndef DFT_SPOOL_VALUES_H
#define DFT_SPOOL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DFT_VALUES_SIZE 900u    /* arguments and result of one call */
#define DFT_VALUE_TEXT_MAX 128u /* characters of one text */
#define DFT_VALUE_SIZE_MAX 32u  /* bytes of anything else */

enum dft_value_state { DFT_VALUE_ADDRESS, DFT_VALUE_WHOLE, DFT_VALUE_CUT };

/* One item of DFTRACE_TEXT_VALUES, see abi.h. */
struct dft_value_shape {
    const char *name, *type; /* not terminated */
    size_t name_length, type_length;
    unsigned size;
    char letter;
    bool is_result, is_reference;
};

/* The next item at `*text`, which moves on; false at the end, or where there cannot be another. */
bool dft_value_next(const char **text, struct dft_value_shape *shape);

#endif
