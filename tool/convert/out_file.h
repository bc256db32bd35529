/*
 * The file that a conversion writes: complete, or not there at all. It takes the place of an older
 * file of its name only when it is complete. Errors are kept until it is closed.
 */
#ifndef DFT_TOOL_CONVERT_OUT_FILE_H
#define DFT_TOOL_CONVERT_OUT_FILE_H

#include "tool/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct dft_out_file;

/*
 * "-" is stdout. `compress`: as gzip, in one member or, with `members`, in several. NULL: the
 * message has been printed.
 */
struct dft_out_file *dft_out_file_open(const char *path, bool compress, bool members);

void dft_out_file_write(struct dft_out_file *file, const char *bytes, size_t length);
void dft_out_file_text(struct dft_out_file *file, const char *text);

__attribute__((format(printf, 2, 3))) void dft_out_file_format(struct dft_out_file *file,
                                                               const char *format, ...);

/* A JSON string with its quotes. */
void dft_out_file_json(struct dft_out_file *file, struct dft_text text);

/* Nanoseconds as microseconds with three decimals. */
void dft_out_file_microseconds(struct dft_out_file *file, int64_t ns);

/* Something else has failed, and its message was printed: the file will not be kept. */
void dft_out_file_give_up(struct dft_out_file *file);

bool dft_out_file_is_compressed(const struct dft_out_file *file);

/* Whether writing is of no use any more. */
bool dft_out_file_has_failed(const struct dft_out_file *file);

/*
 * Puts the file in its place, if `keep`; otherwise removes it. False if it could not be written; the
 * message has been printed.
 */
bool dft_out_file_close(struct dft_out_file *file, bool keep);

#endif
