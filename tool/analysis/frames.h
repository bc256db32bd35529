/*
 * The size of a function's stack frame, from its executable or library.
 *
 * There are two implementations: frames_libdw.c if elfutils' libdw was found, otherwise
 * frames_none.c.
 */
#ifndef DFT_TOOL_ANALYSIS_FRAMES_H
#define DFT_TOOL_ANALYSIS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef DFTRACE_LIBDW
#define DFT_FRAMES_ARE_KNOWN true
#define DFT_FRAMES_HELP                                                                            \
    "FRAME: bytes of stack that a call takes, its return address included; where the\n"            \
    "executable or library is still the same, and addresses its frame by the stack pointer"
#else
#define DFT_FRAMES_ARE_KNOWN false
#define DFT_FRAMES_HELP                                                                            \
    "(bytes of stack that a call takes are not shown: built without elfutils' libdw)"
#endif

struct dft_frames;

/* NULL without libdw. */
struct dft_frames *dft_frames_new(void);

/*
 * Bytes from the end of the caller's frame to the lowest value of the stack pointer in the
 * function. 0 if unknown: the file is missing or has another build id, the symbol is missing or
 * ambiguous, or the frame is not addressed by the stack pointer.
 */
uint64_t dft_frames_size(struct dft_frames *frames, const char *module, const char *build_id,
                         const char *symbol);

void dft_frames_free(struct dft_frames *frames);

#endif
