/*
 * printf and scanf. Each passes its arguments on as a va_list, to the next definition of the
 * function that takes one, and is recorded under its own name. See table.h.
 */
#include "io/table.h"

#include <stdarg.h>

int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list list);
int vfscanf(FILE *stream, const char *format, va_list list);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list list);
int __isoc23_vfscanf(FILE *stream, const char *format, va_list list);

/* `last` is the last argument before the variable ones; `failure` is as in the tables. */
#define FORMATTED(entry, event, parameters, stream, last, failure, call)                           \
    int entry parameters;                                                                          \
    DFT_IO_EXPORT int entry parameters                                                             \
    {                                                                                              \
        struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_##event];                     \
        struct dft_io_file file;                                                                   \
        uint64_t token = dft_io_begin_stream(site, stream, &file);                                 \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        int ret = call;                                                                            \
        va_end(list);                                                                              \
        if (token)                                                                                 \
            dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, failure);                \
        return ret;                                                                                \
    }

FORMATTED(fprintf, fprintf, (FILE * stream, const char *format, ...), stream, format,
          DFT_IO_ERROR_MINUS, DFT_IO_NEXT(vfprintf)(stream, format, list))
FORMATTED(__fprintf_chk, fprintf, (FILE * stream, int flag, const char *format, ...), stream,
          format, DFT_IO_ERROR_MINUS, DFT_IO_NEXT(__vfprintf_chk)(stream, flag, format, list))
FORMATTED(printf, printf, (const char *format, ...), stdout, format, DFT_IO_ERROR_MINUS,
          DFT_IO_NEXT(vfprintf)(stdout, format, list))
FORMATTED(__printf_chk, printf, (int flag, const char *format, ...), stdout, format,
          DFT_IO_ERROR_MINUS, DFT_IO_NEXT(__vfprintf_chk)(stdout, flag, format, list))
FORMATTED(fscanf, fscanf, (FILE * stream, const char *format, ...), stream, format,
          DFT_IO_ERROR_ENDS(stream), DFT_IO_NEXT(vfscanf)(stream, format, list))
FORMATTED(__isoc99_fscanf, fscanf, (FILE * stream, const char *format, ...), stream, format,
          DFT_IO_ERROR_ENDS(stream), DFT_IO_NEXT(__isoc99_vfscanf)(stream, format, list))
FORMATTED(__isoc23_fscanf, fscanf, (FILE * stream, const char *format, ...), stream, format,
          DFT_IO_ERROR_ENDS(stream), DFT_IO_NEXT(__isoc23_vfscanf)(stream, format, list))
FORMATTED(scanf, scanf, (const char *format, ...), stdin, format, DFT_IO_ERROR_ENDS(stdin),
          DFT_IO_NEXT(vfscanf)(stdin, format, list))
FORMATTED(__isoc99_scanf, scanf, (const char *format, ...), stdin, format, DFT_IO_ERROR_ENDS(stdin),
          DFT_IO_NEXT(__isoc99_vfscanf)(stdin, format, list))
FORMATTED(__isoc23_scanf, scanf, (const char *format, ...), stdin, format, DFT_IO_ERROR_ENDS(stdin),
          DFT_IO_NEXT(__isoc23_vfscanf)(stdin, format, list))
