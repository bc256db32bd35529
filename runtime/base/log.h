/* What the runtime says on stderr: single lines, no heap, never to a file that took stderr's place.
 */
#ifndef DFT_RUNTIME_BASE_LOG_H
#define DFT_RUNTIME_BASE_LOG_H

#include "runtime/base/options.h"

void dft_log_init(void);

void dft_log(enum dft_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line that the next one replaces where stderr is a terminal; the last one is then wiped. */
bool dft_log_on_terminal(void);
void dft_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dft_log_progress_end(void);

#endif
