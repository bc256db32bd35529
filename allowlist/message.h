/*
 * Messages about files that users write: allowlists and configuration files. Stateless.
 */
#ifndef DFT_ALLOWLIST_MESSAGE_H
#define DFT_ALLOWLIST_MESSAGE_H

#include "allowlist.h"

struct dft_quoted {
    char text[64];
};

/* `error` may be NULL. */
void dft_message_set(struct dft_allowlist_error *error, unsigned line, unsigned column,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The text with unprintable bytes escaped, and cut if it is long. */
struct dft_quoted dft_message_quote(const char *text, size_t length);

/*
 * The most similar of `words`, which are in lower case, if it is similar enough to be suggested;
 * NULL otherwise.
 */
const char *dft_message_nearest(const char *word, size_t length, const char *const *words,
                                size_t count);

#endif
