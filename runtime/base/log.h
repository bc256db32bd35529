/*
 * Messages of the runtime on stderr: single lines, no heap. Nothing is written if descriptor 2 is
 * no longer the stderr that the program was started with.
 */
#ifndef DFT_RUNTIME_BASE_LOG_H
#define DFT_RUNTIME_BASE_LOG_H

#include "runtime/base/options.h"

void dft_log_init(void);

void dft_log(enum dft_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A progress line: on a terminal, the next one replaces it, and dft_log_progress_end erases it. */
bool dft_log_on_terminal(void);
void dft_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dft_log_progress_end(void);

#endif
