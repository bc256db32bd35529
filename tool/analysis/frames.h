/*
 * How much stack a call of a function takes, where its executable or library says so.
 *
 * Two files do this: frames_libdw.c where elfutils' libdw was found, else frames_none.c.
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

/* NULL where nothing can be known. */
struct dft_frames *dft_frames_new(void);

/*
 * Bytes from where the caller's frame ends to the lowest place of the stack pointer in the function
 * that has this symbol; 0 where it is not known: the file is gone or has another build id, the
 * symbol is not in it or there are several, the frame is addressed by another register.
 */
uint64_t dft_frames_size(struct dft_frames *frames, const char *module, const char *build_id,
                         const char *symbol);

void dft_frames_free(struct dft_frames *frames);

#endif
