/* Ends the process when its main thread and all other threads of the program have ended. */
#ifndef DFT_RUNTIME_SESSION_LAST_THREAD_H
#define DFT_RUNTIME_SESSION_LAST_THREAD_H

#include <stdbool.h>

/* Called in a thread that ends. Does nothing unless it is the main thread. */
void dft_last_thread_main_ends(void);

/* In the writer's thread: whether no thread of the program is left. */
bool dft_last_thread_is_gone(void);

/*
 * In the writer's thread, after the trace is complete: ends the process with the status of its main
 * thread.
 */
_Noreturn void dft_last_thread_end(void);

#endif
