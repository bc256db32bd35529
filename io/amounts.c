/*
 * How many bytes a call has moved: see record.h. Any thread, any context; no heap, no lock.
 */
#include "io/record.h"

/* Where the number of bytes is, in the lower bits; the direction is above it. */
enum {
    NONE,
    RET,  /* the result, which is the last value */
    SIZE, /* the first value, unless the call failed */
    ONE,  /* a character */
    WORD,
};
#define READS(how) (how)
#define WRITES(how) ((how) | 8)

static const uint8_t amounts[DFT_IO_EVENTS] = {
    [DFT_IO_EVENT_read] = READS(RET),      [DFT_IO_EVENT_pread] = READS(RET),
    [DFT_IO_EVENT_readv] = READS(RET),     [DFT_IO_EVENT_preadv] = READS(RET),
    [DFT_IO_EVENT_fread] = READS(RET),     [DFT_IO_EVENT_fgets] = READS(RET),
    [DFT_IO_EVENT_getline] = READS(RET),   [DFT_IO_EVENT_getdelim] = READS(RET),
    [DFT_IO_EVENT_recv] = READS(RET),      [DFT_IO_EVENT_recvfrom] = READS(RET),
    [DFT_IO_EVENT_recvmsg] = READS(RET),   [DFT_IO_EVENT_copy_file_range] = READS(RET),
    [DFT_IO_EVENT_splice] = READS(RET),    [DFT_IO_EVENT_tee] = READS(RET),
    [DFT_IO_EVENT_fgetc] = READS(ONE),     [DFT_IO_EVENT_getc] = READS(ONE),
    [DFT_IO_EVENT_getchar] = READS(ONE),   [DFT_IO_EVENT_getw] = READS(WORD),
    [DFT_IO_EVENT_write] = WRITES(RET),    [DFT_IO_EVENT_pwrite] = WRITES(RET),
    [DFT_IO_EVENT_writev] = WRITES(RET),   [DFT_IO_EVENT_pwritev] = WRITES(RET),
    [DFT_IO_EVENT_fwrite] = WRITES(RET),   [DFT_IO_EVENT_send] = WRITES(RET),
    [DFT_IO_EVENT_sendto] = WRITES(RET),   [DFT_IO_EVENT_sendmsg] = WRITES(RET),
    [DFT_IO_EVENT_sendfile] = WRITES(RET), [DFT_IO_EVENT_printf] = WRITES(RET),
    [DFT_IO_EVENT_fprintf] = WRITES(RET),  [DFT_IO_EVENT_vprintf] = WRITES(RET),
    [DFT_IO_EVENT_vfprintf] = WRITES(RET), [DFT_IO_EVENT_fputs] = WRITES(SIZE),
    [DFT_IO_EVENT_puts] = WRITES(SIZE),    [DFT_IO_EVENT_fputc] = WRITES(ONE),
    [DFT_IO_EVENT_putc] = WRITES(ONE),     [DFT_IO_EVENT_putchar] = WRITES(ONE),
    [DFT_IO_EVENT_putw] = WRITES(WORD),
};

static int64_t bytes_of(uint8_t how, const struct dft_io_value *values, size_t count)
{
    int64_t ret = (int64_t)values[count - 1].as.bits;

    switch (how) {
    case RET:
        return ret;
    case SIZE:
        return ret >= 0 ? (int64_t)values[0].as.bits : 0;
    case ONE:
        return ret >= 0;
    case WORD:
        return ret >= 0 ? (int64_t)sizeof(int) : 0;
    default:
        return 0;
    }
}

struct dft_io_amount dft_io_amount_of(enum dft_io_event event, const struct dft_io_value *values,
                                      size_t count)
{
    uint8_t how = amounts[event];
    int64_t bytes = how ? bytes_of(how & 7, values, count) : 0;

    return (struct dft_io_amount){.bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                  .direction = how & 8 ? DFT_IO_WRITTEN_TO : DFT_IO_READ_FROM};
}
