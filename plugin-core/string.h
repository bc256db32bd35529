/*
 * Text that grows. Runs in the compilers, on the thread that compiles.
 *
 * A string that is all zeros is empty. A string may contain NUL bytes; another NUL always follows
 * its last byte.
 */
#ifndef DFT_PLUGIN_CORE_STRING_H
#define DFT_PLUGIN_CORE_STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dft_string {
    char *bytes; /* NULL until something is appended */
    size_t length;
    size_t capacity;
};

void dft_string_append(struct dft_string *string, const char *bytes, size_t length);
void dft_string_append_text(struct dft_string *string, const char *text);

/* Never NULL. */
const char *dft_string_text(const struct dft_string *string);
void dft_string_free(struct dft_string *string);

/*
 * Ends the compilation with an error. Each plugin defines this function in the way of its compiler.
 */
void dft_plugin_out_of_memory(void) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
