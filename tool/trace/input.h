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

/* Takes the descriptor over, whatever comes of it. */
struct dft_input *dft_input_open_fd(int fd, char *error, size_t error_size);

/*
 * Fills `buffer` unless the end comes first. Returns how many bytes it holds; fewer than `size`
 * only at the end of the input or behind its last good byte (dft_input_error).
 */
size_t dft_input_read(struct dft_input *input, char *buffer, size_t size);

/* Why reading ended early, NULL where it did not. */
const char *dft_input_error(const struct dft_input *input);

/* A gzip member is not complete: the file lost its end. */
bool dft_input_is_cut(const struct dft_input *input);

bool dft_input_is_compressed(const struct dft_input *input);

/*
 * A file may be read again in pieces, each from a place to the next one; the first is its
 * beginning. Where it is one event a line, as dftrace writes it, a piece holds whole events. 0: it
 * is no file.
 */
size_t dft_input_pieces(const struct dft_input *input);

/* How much text the longest piece has. */
uint64_t dft_input_longest_piece(const struct dft_input *input);

/* The next bytes are those of this piece, and then comes the end. False: it cannot be read. */
bool dft_input_rewind(struct dft_input *input, size_t piece);

void dft_input_close(struct dft_input *input);

#endif
