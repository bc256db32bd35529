/* What the runtime reports about calls that it intercepts itself. */
#ifndef DFT_IO_PROCESS_H
#define DFT_IO_PROCESS_H

#include "runtime/io/io.h"

extern const struct dft_io_observer dft_io_observers;

#endif
