/* Sizes of frames where there is no libdw: none is known. See frames.h. */
#include "tool/analysis/frames.h"

#include <stddef.h>

struct dft_frames *dft_frames_new(void)
{
    return NULL;
}

uint64_t dft_frames_size(struct dft_frames *frames, const char *module, const char *build_id,
                         const char *symbol)
{
    (void)frames, (void)module, (void)build_id, (void)symbol;
    return 0;
}

void dft_frames_free(struct dft_frames *frames)
{
    (void)frames;
}
