/* A main thread that ends before the others: libc ends the process with the last of them. */
#ifndef DFT_RUNTIME_SESSION_LAST_THREAD_H
#define DFT_RUNTIME_SESSION_LAST_THREAD_H

#include <stdbool.h>

/* In a thread that ends; nothing unless it is the main thread. */
void dft_last_thread_main_ends(void);

/* In the writer's thread: whether none of the program's threads is left. */
bool dft_last_thread_is_gone(void);

/* Then, when the trace is complete: ends the process as its main thread has ended. */
_Noreturn void dft_last_thread_end(void);

#endif
