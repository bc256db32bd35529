/* Decompression by ISA-L. See gunzip.h. */
#include "tool/trace/gunzip.h"

#include "tool/base/tool.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

struct dft_gunzip {
    enum dft_gunzip_form form;
    struct inflate_state state;
};

struct dft_gunzip *dft_gunzip_new(enum dft_gunzip_form form)
{
    struct dft_gunzip *gunzip = dft_tool_zeroed(1, sizeof *gunzip);

    gunzip->form = form;
    isal_inflate_init(&gunzip->state);
    dft_gunzip_reset(gunzip);
    return gunzip;
}

void dft_gunzip_reset(struct dft_gunzip *gunzip)
{
    isal_inflate_reset(&gunzip->state);
    gunzip->state.crc_flag = gunzip->form == DFT_GUNZIP_ZLIB ? ISAL_ZLIB : ISAL_GZIP;
}

static const char *name_problem(int status)
{
    switch (status) {
    case ISAL_INVALID_BLOCK:
        return "invalid block";
    case ISAL_INVALID_SYMBOL:
        return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
        return "invalid distance";
    case ISAL_INCORRECT_CHECKSUM:
        return "incorrect checksum";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown method";
    default:
        return "invalid header";
    }
}

enum dft_gunzip_step dft_gunzip_step(struct dft_gunzip *gunzip, struct dft_gunzip_io *io,
                                     const char **problem)
{
    struct inflate_state *state = &gunzip->state;
    uint32_t left = dft_gunzip_portion(io->left);
    uint32_t room = dft_gunzip_portion(io->room);

    state->next_in = (uint8_t *)io->next;
    state->avail_in = left;
    state->next_out = io->out;
    state->avail_out = room;
    int status = isal_inflate(state);
    /* If data is damaged, ISA-L's pointers and counts may disagree: use those that are certain. */
    uint32_t used = state->avail_in < left ? left - state->avail_in : 0;
    io->next += used;
    io->left -= used;
    io->room -= (size_t)(state->next_out - io->out);
    io->out = state->next_out;

    if (state->block_state == ISAL_BLOCK_FINISH && status == ISAL_DECOMP_OK)
        return DFT_GUNZIP_END;
    if (status == ISAL_DECOMP_OK || status == ISAL_END_INPUT || status == ISAL_OUT_OVERFLOW)
        return DFT_GUNZIP_MORE;
    *problem = name_problem(status);
    return DFT_GUNZIP_BAD;
}

void dft_gunzip_free(struct dft_gunzip *gunzip)
{
    free(gunzip);
}
