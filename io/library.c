/*
 * libdftrace-io.so: intercepts the I/O calls of a program and passes them to the runtime as events.
 *
 * The constructor runs after that of the runtime. Calls that constructors of other libraries make
 * before it are passed on and not recorded. If nothing is to be traced, all calls are only passed
 * on.
 */
#include "io/descriptors.h"
#include "io/next.h"
#include "io/process.h"
#include "io/record.h"

/*
 * NAME, LINKAGE, FILE, PARAMETERS, CATEGORY; the texts after that are empty. The site of a call has
 * no line: it is in libc.
 */
#define TEXT(name, category) #name "\0\0\0\0" category "\0\0\0\0"

struct dftrace_site dft_io_sites[DFT_IO_EVENTS] = {
#define DFT_IO_EVENT(name, category)                                                               \
    [DFT_IO_EVENT_##name] = {.flags = DFTRACE_SITE_IO, .text = TEXT(name, #category)},
#include "io/events.def"
#undef DFT_IO_EVENT
};

__attribute__((constructor(102))) static void begin_library(void)
{
    dft_io_look_up_all();
    dft_io_descriptors_begin();
    dft_io_is_active =
        __dftrace_io_register(dft_io_sites, dft_io_sites + DFT_IO_EVENTS, &dft_io_observers);
    if (dft_io_is_active && dft_io_descriptor_limit == DFT_IO_DESCRIPTORS_MAX)
        __dftrace_io_exclude_from_mlockall(dft_io_descriptors,
                                           DFT_IO_DESCRIPTORS_MAX * sizeof *dft_io_descriptors);
}
