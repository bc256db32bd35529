/* Explains why nothing was traced. */
#ifndef DFT_RUNTIME_SESSION_EXPLAIN_EMPTY_H
#define DFT_RUNTIME_SESSION_EXPLAIN_EMPTY_H

#include <stdbool.h>

/* Whether some part of the program calls the hooks of -finstrument-functions. */
extern __attribute__((visibility("hidden"))) bool dft_explain_empty_finstrument;

/* Whether some part of the program is an interpreter whose functions can be traced. */
extern __attribute__((visibility("hidden"))) bool dft_explain_empty_guest;

/* Prints the reason why no instrumented function has registered although tracing was on. */
void dft_explain_empty(void);

#endif
