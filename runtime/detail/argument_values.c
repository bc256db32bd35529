/*
 * Arguments and results of calls. spool/values.h describes how they are encoded.
 *
 * Runs in traced threads, after the enter hook and before the exit hook of functions in [args],
 * with signals unblocked: the calls of a signal handler have frames of their own, and thus buffers
 * of their own. Keeps errno. Memory that the program's pointers refer to is read by the kernel, so
 * that an invalid pointer does no harm.
 */
#include "runtime/detail/argument_values.h"
#include "dftrace/abi.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/detail/safe_read.h"
#include "spool/values.h"

#include <errno.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

/* The values of an open call. */
struct taken {
    uint64_t start; /* of the call; if it differs from the frame's, the values are outdated */
    uint16_t arguments, result; /* sizes in bytes */
    bool has_arguments, has_result;
    unsigned char bytes[DFT_VALUES_SIZE];
};

/* One for each frame of this thread. The memory is populated on first use. */
static DFT_TLS struct taken *places;

#define PLACES_SIZE (DFT_THREAD_FRAMES * sizeof(struct taken))

static void make_places(void)
{
    struct dft_guard guard;

    dft_guard_enter(&guard);
    if (!places) {
        void *memory =
            mmap(NULL, PLACES_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        places = memory == MAP_FAILED ? NULL : memory;
    }
    dft_guard_leave(&guard);
}

void dft_argument_values_release(void)
{
    struct taken *memory = places;

    places = NULL;
    if (memory)
        munmap(memory, PLACES_SIZE);
}

void dft_argument_values_exchange(void **other)
{
    void *memory = places;

    places = *other;
    *other = memory;
}

/* A buffer that values are written to, as long as there is room. */
struct out {
    unsigned char *at, *end;
};

static bool put(struct out *out, const void *bytes, size_t length)
{
    if ((size_t)(out->end - out->at) < length)
        return false;
    memcpy(out->at, bytes, length);
    out->at += length;
    return true;
}

static bool put_address(struct out *out, uint64_t address)
{
    unsigned char state = DFT_VALUE_ADDRESS;

    return (size_t)(out->end - out->at) > sizeof address && put(out, &state, 1) &&
           put(out, &address, sizeof address);
}

/* Adds `length` bytes of text, cut to DFT_VALUE_TEXT_MAX. `more`: the text continues after them. */
static bool put_text(struct out *out, const char *text, size_t length, bool more)
{
    bool whole = length <= DFT_VALUE_TEXT_MAX;
    unsigned char head[2] = {whole && !more ? DFT_VALUE_WHOLE : DFT_VALUE_CUT,
                             (unsigned char)(whole ? length : DFT_VALUE_TEXT_MAX)};

    return (size_t)(out->end - out->at) >= sizeof head + head[1] && put(out, head, sizeof head) &&
           put(out, text, head[1]);
}

/* Adds characters up to a NUL. If the text reaches unreadable memory, it is cut there. */
static bool put_terminated(struct out *out, uint64_t address)
{
    char text[DFT_VALUE_TEXT_MAX + 1];
    size_t length = dft_safe_read(address, text, sizeof text);
    size_t end = strnlen(text, length);

    if (length == 0)
        return put_address(out, address);
    return put_text(out, text, end, end == length);
}

/* Adds `length` characters. */
static bool put_counted(struct out *out, uint64_t address, uint64_t length)
{
    char text[DFT_VALUE_TEXT_MAX + 1];
    size_t wanted = length < sizeof text ? (size_t)length : sizeof text;
    size_t found = dft_safe_read(address, text, wanted);

    if (found < wanted)
        return put_address(out, address);
    return put_text(out, text, found, false);
}

static bool put_string(struct out *out, uint64_t address)
{
    uint64_t object[2]; /* pointer and length */

    if (dft_safe_read(address, object, sizeof object) < sizeof object)
        return put_address(out, address);
    return put_counted(out, object[0], object[1]);
}

static uint64_t read_address(const unsigned char *value, unsigned size)
{
    uint32_t half;
    uint64_t address;

    if (size == sizeof half) {
        memcpy(&half, value, sizeof half);
        return half;
    }
    memcpy(&address, value, sizeof address);
    return address;
}

static bool put_value(struct out *out, const struct dft_value_shape *shape,
                      const unsigned char *value)
{
    uint64_t length;

    switch (shape->letter) {
    case DFTRACE_VALUE_TEXT:
        return put_terminated(out, read_address(value, shape->size));
    case DFTRACE_VALUE_STRING:
        return put_string(out, read_address(value, shape->size));
    case DFTRACE_VALUE_VIEW:
        memcpy(&length, value, sizeof length);
        return put_counted(out, read_address(value + sizeof length, sizeof(uint64_t)), length);
    default:
        return put(out, value, shape->size);
    }
}

/* Adds a value that is given by its address. */
static bool put_referred(struct out *out, const struct dft_value_shape *shape, uint64_t address)
{
    unsigned char value[DFT_VALUE_SIZE_MAX], state = DFT_VALUE_WHOLE;

    if (dft_safe_read(address, value, shape->size) < shape->size)
        return put_address(out, address);
    return put(out, &state, 1) && put_value(out, shape, value);
}

/* Encodes the result, or all arguments; returns the end of what was written. */
static unsigned char *take(const char *text, const unsigned char *values, bool result,
                           struct out out)
{
    struct dft_value_shape shape;

    while (dft_value_next(&text, &shape)) {
        if (shape.is_result != result || shape.letter == DFTRACE_VALUE_TYPE)
            continue;
        bool room = shape.is_reference ? put_referred(&out, &shape, read_address(values, 8))
                                       : put_value(&out, &shape, values);
        if (!room)
            break;
        values += shape.is_reference ? 8 : (shape.size + 7) / 8 * 8;
    }
    return out.at;
}

/* The buffer of the call with this token; NULL if the call is too deep to have a frame. */
static struct taken *find_place(uint64_t token)
{
    struct dft_thread *self = dft_self;
    uint64_t start = token & ~DFT_TOKEN_ATTACHED;

    if (!self || dft_busy)
        return NULL;
    struct dft_frame *frame = self->top - 1;
    while (frame > self->frames && frame->start != start)
        frame--;
    if (frame == self->frames)
        return NULL;
    if (!places)
        make_places();
    return places ? &places[frame - self->frames] : NULL;
}

EXPORT void __dftrace_args(struct dftrace_site *site, uint64_t token, uint32_t shape, void *values)
{
    int saved = errno;
    struct taken *place = find_place(token);

    if (place) {
        unsigned char *end = take(site->text + shape, values, false,
                                  (struct out){place->bytes, place->bytes + DFT_VALUES_SIZE});
        place->arguments = (uint16_t)(end - place->bytes);
        place->has_arguments = true;
        place->has_result = false;
        place->start = token & ~DFT_TOKEN_ATTACHED;
    }
    errno = saved;
}

EXPORT void __dftrace_result(struct dftrace_site *site, uint64_t token, uint32_t shape,
                             void *values)
{
    int saved = errno;
    struct taken *place = find_place(token);

    if (place) {
        if (place->start != (token & ~DFT_TOKEN_ATTACHED)) { /* no arguments recorded */
            place->has_arguments = false;
            place->arguments = 0;
        }
        unsigned char *begin = place->bytes + place->arguments;
        unsigned char *end = take(site->text + shape, values, true,
                                  (struct out){begin, place->bytes + DFT_VALUES_SIZE});
        place->result = (uint16_t)(end - begin);
        place->has_result = true;
        place->start = token & ~DFT_TOKEN_ATTACHED;
    }
    errno = saved;
}

void dft_argument_values_end(const struct dft_thread *self, const struct dft_frame *frame,
                             struct dft_attachments *all)
{
    const struct taken *place = places ? &places[frame - self->frames] : NULL;

    if (!place || place->start != frame->start)
        return;
    if (place->has_arguments)
        dft_attachments_add(all, DFT_ATTACHMENT_ARGUMENTS, place->bytes, place->arguments);
    if (place->has_result)
        dft_attachments_add(all, DFT_ATTACHMENT_RESULT, place->bytes + place->arguments,
                            place->result);
}
