/* A main thread that ends before the others: libc ends the process with the last of them. */
#ifndef DFT_LASTTHREAD_H
#define DFT_LASTTHREAD_H

/* In a thread that ends; nothing unless it is the main thread. */
void dft_lastthread_main_ends(void);

#endif
