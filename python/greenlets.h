/* Greenlets: stacks of their own, which have tracks of their own in the trace. */
#ifndef DFT_PYTHON_GREENLETS_H
#define DFT_PYTHON_GREENLETS_H

#include <stdbool.h>

/* The program imports the module `greenlet`, whose C part is loaded now. */
extern bool dft_py_greenlets_are_used;

/* The switches of the calling thread are reported to us. */
extern __thread bool dft_py_greenlets_are_followed __attribute__((tls_model("initial-exec")));

/* Called for each event `import`, with the name of the module. */
void dft_py_greenlets_imported(const char *module);

/* Follows the switches of the calling thread from now on. Keeps errno and the exception. */
void dft_py_greenlets_follow(void);

/* Whether this thread should begin to follow: before each traced call. */
static inline bool dft_py_greenlets_are_new(void)
{
    return __builtin_expect(dft_py_greenlets_are_used > dft_py_greenlets_are_followed, false);
}

#endif
