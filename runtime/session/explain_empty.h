/* Why nothing was traced. */
#ifndef DFT_RUNTIME_SESSION_EXPLAIN_EMPTY_H
#define DFT_RUNTIME_SESSION_EXPLAIN_EMPTY_H

#include <stdbool.h>

/* Whether a part of the program calls the hooks of -finstrument-functions. */
extern __attribute__((visibility("hidden"))) bool dft_explain_empty_finstrument;

/* Tracing was on and no instrumented function has registered: says which of the reasons it was. */
void dft_explain_empty(void);

#endif
