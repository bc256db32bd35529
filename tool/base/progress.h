/*
 * How far a long reading is: one line on stderr, where that is a terminal, which is written over
 * again and again, and taken away at the end. Short readings show nothing.
 */
#ifndef DFT_TOOL_BASE_PROGRESS_H
#define DFT_TOOL_BASE_PROGRESS_H

#include <stdint.h>

extern uint64_t dft_progress_done;

/* So many more calls are to be read. Where nobody has said so, the line shows how many have been.
 */
void dft_progress_expect(uint64_t more);

/* The last `count` calls are read a second time. They must all have been read before the next are.
 */
void dft_progress_read_again(uint64_t count);

/* Shows the line if it is time to. */
void dft_progress_show(void);

/* One more has been read. */
static inline void dft_progress_count(void)
{
    if ((++dft_progress_done & 0x1fff) == 0)
        dft_progress_show();
}

/* Takes the line away, before anything else is printed. */
void dft_progress_hide(void);

/* The same for a line of a process that has been killed. */
void dft_progress_erase(void);

#endif
