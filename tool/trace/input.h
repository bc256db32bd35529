/*
 * Bytes of a trace file: plain or gzip with any number of members, from a file, pipe or stdin.
 */
#ifndef DFT_TOOL_TRACE_INPUT_H
#define DFT_TOOL_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dft_input;

/* "-" is stdin. On failure returns NULL and fills `error`. */
struct dft_input *dft_input_open(const char *path, char *error, size_t error_size);

/* Takes ownership of the descriptor, even on failure. */
struct dft_input *dft_input_open_fd(int fd, char *error, size_t error_size);

/*
 * Fills `buffer`. Returns the number of bytes; fewer than `size` only at the end of the input or
 * before a damaged part (dft_input_error).
 */
size_t dft_input_read(struct dft_input *input, char *buffer, size_t size);

/* Why reading ended early; NULL if it did not. */
const char *dft_input_error(const struct dft_input *input);

/* The file is truncated: its last gzip member is not complete. */
bool dft_input_is_cut(const struct dft_input *input);

bool dft_input_is_compressed(const struct dft_input *input);

/*
 * The number of pieces in which a regular file can be read again; 0 for other inputs. If each event
 * is on a line of its own, as dftrace writes it, a piece contains whole events.
 */
size_t dft_input_pieces(const struct dft_input *input);

/* The size of the longest piece, decompressed. */
uint64_t dft_input_longest_piece(const struct dft_input *input);

/* Reads a regular file once more, as a whole. False on error. */
bool dft_input_rewind_all(struct dft_input *input);

/* Continues reading with this piece; the input then ends after it. False on error. */
bool dft_input_rewind(struct dft_input *input, size_t piece);

void dft_input_close(struct dft_input *input);

#endif
