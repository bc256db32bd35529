/* The names that the program gives to its threads (threading.Thread). */
#ifndef DFT_PYTHON_THREAD_NAME_H
#define DFT_PYTHON_THREAD_NAME_H

#include <stdbool.h>

/* The name of the calling thread has not been reported. */
extern __thread bool dft_py_thread_name_is_wanted __attribute__((tls_model("initial-exec")));

/* Called once, by the main thread: its name in the trace is that of the program. */
void dft_py_thread_name_init(void);

/* Reports it. Keeps errno. */
void dft_py_thread_name_tell(void);

#endif
