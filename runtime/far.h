/* What only traced programs use, in those that are not traced. */
#ifndef DFT_FAR_H
#define DFT_FAR_H

#ifdef DFT_STATIC
void dft_far_leave(void);
#else
static inline void dft_far_leave(void)
{
    /* A mapping of its own, of which no page is used. */
}
#endif

#endif
