/*
 * What every command of `dftrace` shares: exit codes, messages, memory.
 *
 * The tool is one process with one thread. Each message is one line on stderr. Control characters
 * in it are made visible, because messages quote names from untrusted files.
 */
#ifndef DFT_TOOL_BASE_TOOL_H
#define DFT_TOOL_BASE_TOOL_H

#include <stddef.h>

enum dft_exit {
    DFT_EXIT_OK = 0,
    DFT_EXIT_FAILED = 1, /* the input is wrong, or a system call failed */
    DFT_EXIT_USAGE = 2,  /* the command line is wrong */
};

/* `argv[0]` is the command's own name. Returns an enum dft_exit. */
struct dft_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* one line, for the list of commands */
};

int dft_cmd_run(int argc, char **argv);
int dft_cmd_recover(int argc, char **argv);
int dft_cmd_report(int argc, char **argv);
/* Only checks the command line and prints what is wrong with it; DFT_EXIT_OK: nothing is. */
int dft_cmd_report_check(int argc, char **argv);
int dft_cmd_convert(int argc, char **argv);
int dft_cmd_config(int argc, char **argv);
int dft_cmd_ctl(int argc, char **argv);
int dft_cmd_check(int argc, char **argv);
int dft_cmd_options(int argc, char **argv);

/* "dftrace: ...", "dftrace: warning: ...", "dftrace: note: ..." */
void dft_tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dft_tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dft_tool_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "FILE:LINE:COLUMN: ...": the form that editors jump to. */
void dft_tool_diagnose(const char *file, unsigned line, unsigned column, const char *message);

/* Allocate memory. If there is none, they print a message and end the process. */
void *dft_tool_resize(void *block, size_t count, size_t size);
/* Makes room for one more element in an array of `count` elements, which grows by doubling. */
void *dft_tool_grow(void *array, size_t count, size_t *room, size_t size);
void *dft_tool_zeroed(size_t count, size_t size);
char *dft_tool_copy(const char *text, size_t length); /* NUL-terminated */
char *dft_tool_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The absolute form of a path, to be freed. */
char *dft_tool_absolute(const char *path);

#endif
