/*
 * A progress line on stderr while long traces are read, if stderr is a terminal. It is overwritten
 * as reading goes on and erased at the end. Short traces show no line.
 */
#ifndef DFT_TOOL_BASE_PROGRESS_H
#define DFT_TOOL_BASE_PROGRESS_H

#include <stdint.h>

extern uint64_t dft_progress_done;

/*
 * Announces `more` calls to be read. Without it, the line shows how many were read, not a
 * percentage.
 */
void dft_progress_expect(uint64_t more);

/* Announces that the last `count` calls are read again, before any further ones. */
void dft_progress_read_again(uint64_t count);

/* Updates the line if it is due. */
void dft_progress_show(void);

/* What the line says that calls are done; without it, "adding up calls". Constant text. */
void dft_progress_name(const char *name);

/* Counts one call. */
static inline void dft_progress_count(void)
{
    if ((++dft_progress_done & 0x1fff) == 0)
        dft_progress_show();
}

/* Erases the line. Call it before anything else is printed. */
void dft_progress_hide(void);

/* Erases the line of another process that was killed. */
void dft_progress_erase(void);

#endif
