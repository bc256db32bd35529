/*
 * From the tables of intercepted calls (*.def) to functions. A line of a table is
 *
 *   DFT_IO(returns, entry, event, (parameters), (arguments), subject, failure, (values))
 *   DFT_IO_VOID(entry, event, (parameters), (arguments), subject, (values))
 *
 * entry    the entry point of libc that is intercepted
 * event    the event that records the call (events.def)
 * subject  the file: FD(number), STREAM(stream), DIRECTORY(stream), MAPPED(number, flags),
 *          PATH(path), AT(directory, path), PATH2(directory, path, directory, path),
 *          LINK(target, directory, path), NONE()
 * failure  when errno is recorded: MINUS (the result is -1), NULLS, MAPS (MAP_FAILED), CODE (the
 *          result is the error), SHORT and ENDS (the stream has an error), NEVER
 * values   V(key, number), P(key, pointer), T(key, text), N(key): the second path
 *
 * The functions run in any thread and any context. They keep errno, allocate nothing and take no
 * lock of their own, and call libc's function exactly once.
 */
#ifndef DFT_IO_TABLE_H
#define DFT_IO_TABLE_H

#include "io/next.h"
#include "io/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#define V(key, value)                                                                              \
    {                                                                                              \
        DFT_IO_KEY_##key, DFT_FIELD_INT,                                                           \
        {                                                                                          \
            .bits = (uint64_t)(int64_t)(value)                                                     \
        }                                                                                          \
    }
#define P(key, value)                                                                              \
    {                                                                                              \
        DFT_IO_KEY_##key, DFT_FIELD_POINTER,                                                       \
        {                                                                                          \
            .bits = (uint64_t)(uintptr_t)(value)                                                   \
        }                                                                                          \
    }
#define T(key, value)                                                                              \
    {                                                                                              \
        DFT_IO_KEY_##key, DFT_FIELD_TEXT,                                                          \
        {                                                                                          \
            .text = (value)                                                                        \
        }                                                                                          \
    }
#define N(key)                                                                                     \
    {                                                                                              \
        DFT_IO_KEY_##key, DFT_FIELD_NAME,                                                          \
        {                                                                                          \
            .file = &second                                                                        \
        }                                                                                          \
    }
#define NO_VALUES                                                                                  \
    {                                                                                              \
        DFT_IO_KEY_file, DFT_IO_OMITTED,                                                           \
        {                                                                                          \
            .bits = 0                                                                              \
        }                                                                                          \
    }
#define DFT_IO_VALUES(...) ((const struct dft_io_value[]){__VA_ARGS__})
#define DFT_IO_COUNT(...) (sizeof DFT_IO_VALUES(__VA_ARGS__) / sizeof(struct dft_io_value))

/* Memory that a subject needs for as long as the call lasts. */
#define DFT_IO_ROOM_FD(fd)
#define DFT_IO_ROOM_STREAM(stream)
#define DFT_IO_ROOM_DIRECTORY(stream)
#define DFT_IO_ROOM_MAPPED(fd, flags)
#define DFT_IO_ROOM_NONE()
#define DFT_IO_ROOM_PATH(path) char text[DFT_IO_NAME_ROOM];
#define DFT_IO_ROOM_AT(directory, path) char text[DFT_IO_NAME_ROOM];
#define DFT_IO_ROOM_PATH2(directory, path, other, newpath)                                         \
    char text[DFT_IO_NAME_ROOM], more[DFT_IO_NAME_ROOM];                                           \
    struct dft_io_file second;
#define DFT_IO_ROOM_LINK(target, directory, newpath)                                               \
    char text[DFT_IO_NAME_ROOM], more[DFT_IO_NAME_ROOM];                                           \
    struct dft_io_file second;

/* Each begins the recording of a call on this subject. */
#define DFT_IO_BEGIN_FD(fd) dft_io_begin_fd(site, fd, &file)
#define DFT_IO_BEGIN_STREAM(stream) dft_io_begin_stream(site, stream, &file)
#define DFT_IO_BEGIN_DIRECTORY(stream) dft_io_begin_directory(site, stream, &file)
#define DFT_IO_BEGIN_MAPPED(fd, flags)                                                             \
    ((flags)&MAP_ANONYMOUS ? 0 : dft_io_begin_fd(site, fd, &file))
#define DFT_IO_BEGIN_NONE() dft_io_begin_none(site, &file)
#define DFT_IO_BEGIN_PATH(path) dft_io_begin_path(site, AT_FDCWD, path, &file, text)
#define DFT_IO_BEGIN_AT(directory, path) dft_io_begin_path(site, directory, path, &file, text)
#define DFT_IO_BEGIN_PATH2(directory, path, other, newpath)                                        \
    dft_io_begin_paths(site, directory, path, &file, text, other, newpath, &second, more)
#define DFT_IO_BEGIN_LINK(target, directory, newpath)                                              \
    dft_io_begin_paths(site, DFT_IO_AS_GIVEN, target, &file, text, directory, newpath, &second,    \
                       more)

/* Whether the result `ret` is a failure, and its error. */
#define DFT_IO_ERROR_MINUS ((long)ret == -1 ? errno : 0)
#define DFT_IO_ERROR_NULLS (ret ? 0 : errno)
#define DFT_IO_ERROR_MAPS (ret == MAP_FAILED ? errno : 0)
#define DFT_IO_ERROR_CODE ((int)ret)
#define DFT_IO_ERROR_NEVER 0
#define DFT_IO_ERROR_SHORT(count, stream) (ret < (count) && ferror_unlocked(stream) ? errno : 0)
#define DFT_IO_ERROR_ENDS(stream) ((long)ret == EOF && ferror_unlocked(stream) ? errno : 0)
#define DFT_IO_ERROR_ENDS0(stream) (!ret && ferror_unlocked(stream) ? errno : 0)

/* `sizeof` needs the values without evaluating them. */
#define DFT_IO_END(error, values)                                                                  \
    dft_io_end(site, token, &file, DFT_IO_VALUES values, DFT_IO_COUNT values, error)

#define DFT_IO_DEFINE(returns, entry, event, parameters, arguments, subject, failure, values)      \
    returns entry parameters;                                                                      \
    DFT_IO_EXPORT returns entry parameters                                                         \
    {                                                                                              \
        struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_##event];                     \
        struct dft_io_file file;                                                                   \
        DFT_IO_ROOM_##subject uint64_t token = DFT_IO_BEGIN_##subject;                             \
        returns ret = DFT_IO_NEXT(entry) arguments;                                                \
        if (__builtin_expect(token != 0, 0))                                                       \
            DFT_IO_END(DFT_IO_ERROR_##failure, values);                                            \
        return ret;                                                                                \
    }

#define DFT_IO_DEFINE_VOID(entry, event, parameters, arguments, subject, values)                   \
    void entry parameters;                                                                         \
    DFT_IO_EXPORT void entry parameters                                                            \
    {                                                                                              \
        struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_##event];                     \
        struct dft_io_file file;                                                                   \
        DFT_IO_ROOM_##subject uint64_t token = DFT_IO_BEGIN_##subject;                             \
        DFT_IO_NEXT(entry) arguments;                                                              \
        if (token)                                                                                 \
            DFT_IO_END(0, values);                                                                 \
    }

#define DFT_IO(returns, entry, event, parameters, arguments, subject, failure, values)             \
    DFT_IO_DEFINE(returns, entry, event, parameters, arguments, subject, failure, values)
#define DFT_IO_VOID(entry, event, parameters, arguments, subject, values)                          \
    DFT_IO_DEFINE_VOID(entry, event, parameters, arguments, subject, values)

#endif
