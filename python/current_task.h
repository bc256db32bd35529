/* asyncio's tasks. */
#ifndef DFT_PYTHON_CURRENT_TASK_H
#define DFT_PYTHON_CURRENT_TASK_H

#include "python/functions.h"

/* Records the name of the task that the calling thread executes, if any, as a value of this site's call. */
void dft_py_current_task_tell(struct dftrace_site *site);

#endif
