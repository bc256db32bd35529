/*
 * Fuzzes the conversion of traces with libFuzzer: the first byte chooses the format, the rest is a
 * trace file. Every reader of traces and every output format is in it.
 *
 *   clang-14 -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. -Iinclude -o fuzz_convert \
 *       tests/fuzz/fuzz_convert.c SOURCES -lz
 *
 * SOURCES are those of dft_convert, dft_tool, dft_writer and dft_spool.
 *
 * A trace that was converted into a format that dftrace reads must be readable.
 */
#include "tool/convert/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct dft_reader *open_bytes(const uint8_t *data, size_t size)
{
    char error[256];
    int fd = memfd_create("trace", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    return dft_reader_open_fd(fd, error, sizeof error);
}

/* Reads the output again, where dftrace can. */
static void check_output(const struct dft_target *target, int fd)
{
    char error[256];
    struct dft_event event;
    enum dft_read result;

    if (strcmp(target->name, "json") != 0 && strcmp(target->name, "perfetto") != 0 &&
        strcmp(target->name, "dftracer") != 0)
        return;
    lseek(fd, 0, SEEK_SET);
    struct dft_reader *reader = dft_reader_open_fd(dup(fd), error, sizeof error);
    if (!reader)
        abort();
    while ((result = dft_reader_next(reader, &event)) == DFT_READ_EVENT)
        continue;
    /* A trace without any event is an empty file in Perfetto's format. */
    if (result == DFT_READ_ERROR && lseek(fd, 0, SEEK_END) > 0) {
        fprintf(stderr, "%s: %s\n", target->name, dft_reader_error(reader));
        abort();
    }
    dft_reader_close(reader);
}

static void convert(const struct dft_target *target, struct dft_reader *reader)
{
    struct dft_losses losses = {.count = 0};
    struct dft_conversion conversion = {.losses = &losses, .path = "fuzz", .trace_count = 1};
    struct dft_event event;
    enum dft_read result;
    int fd = memfd_create("out", MFD_CLOEXEC);

    int saved = dup(STDOUT_FILENO);
    dup2(fd, STDOUT_FILENO);
    conversion.out = dft_out_file_open("-", false, target->has_members);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    if (!conversion.out)
        abort();
    void *state = target->begin(&conversion);
    if (target->survey) {
        while ((result = dft_reader_next(reader, &event)) == DFT_READ_EVENT)
            target->survey(state, reader, &event);
        if (!dft_reader_rewind_all(reader))
            abort();
    }
    while ((result = dft_reader_next(reader, &event)) == DFT_READ_EVENT)
        target->event(state, reader, &event);
    if (target->end_trace)
        target->end_trace(state);
    target->end(state);
    if (!dft_out_file_close(conversion.out, true))
        abort();
    check_output(target, fd);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dft_target *target = size > 0 ? dft_target_at(data[0] % 7) : NULL;

    if (!target || size < 2)
        return 0;
    struct dft_reader *reader = open_bytes(data + 1, size - 1);
    if (!reader)
        return 0;
    convert(target, reader);
    dft_reader_close(reader);
    return 0;
}
