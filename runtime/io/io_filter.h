/* Which files DFTRACER_DATA_DIR and the allowlist exclude: see __dftrace_io_excludes in io.h. */
#ifndef DFT_RUNTIME_IO_IO_FILTER_H
#define DFT_RUNTIME_IO_IO_FILTER_H

/* Reads the directories of DFTRACER_DATA_DIR. Called once, in a constructor. */
void dft_io_filter_begin(void);

#endif
