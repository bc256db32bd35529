/* Numbers with a fraction as JSON. */
#ifndef DFT_WRITER_ENCODE_REAL_H
#define DFT_WRITER_ENCODE_REAL_H

#include "writer/buffer.h"

/*
 * Appends the value of `size` bytes (2, 4, 8, or 16 for the x87's format) as the shortest number
 * that reads back as the same float or double. Larger types are rounded to double. Values that JSON
 * cannot express as a number become "NaN", "Infinity" or "-Infinity". Reserves its own room.
 */
bool dft_append_json_real(struct dft_buffer *buffer, const unsigned char *bytes, unsigned size);

/* The same for IEEE's format of 16 bytes. */
bool dft_append_json_quad(struct dft_buffer *buffer, const unsigned char *bytes);

#endif
