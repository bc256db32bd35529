/*
 * How arguments and results are encoded in the attachments of a call, and how they are described in
 * its site. Runtime and writer share this encoding. Like format.h, it is part of the spool's
 * format. Pure functions; any thread.
 *
 * The values follow each other without gaps, in the order of the description. The encoding depends
 * on the letter in the description:
 *
 *   numbers, pointers   as many bytes as the description says
 *   text                a state and, for WHOLE and CUT, the length in one byte and the characters
 *   after '&'           a state and, for WHOLE, the value itself
 *
 * The state ADDRESS is followed by eight bytes, the address of memory that could not be read. If
 * there are fewer values than in the description, there was no room for more.
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

/* Reads the next item at `*text` and advances it. False at the end, or if the item is malformed. */
bool dft_value_next(const char **text, struct dft_value_shape *shape);

#endif
