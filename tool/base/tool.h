/*
 * What every command of `dftrace` shares: exit codes, messages, memory.
 *
 * The tool is one process with one thread. Messages go to stderr, one line each, with control
 * characters made visible, because they quote names that come from files of others.
 */
#ifndef DFT_TOOL_BASE_TOOL_H
#define DFT_TOOL_BASE_TOOL_H

#include <stddef.h>

enum dft_exit_place {
    DFT_EXIT_OK = 0,
    DFT_EXIT_FAILED = 1, /* the input or the system refused */
    DFT_EXIT_USAGE = 2,  /* the command line makes no sense */
};

/* `argv[0]` is the command's own name. Returns an enum dft_exit_place. */
struct dft_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* one line, for the list of commands */
};

int dft_cmd_run(int argc, char **argv);
int dft_cmd_recover(int argc, char **argv);
int dft_cmd_report(int argc, char **argv);
/* Only says what is wrong with the command line; DFT_EXIT_OK: nothing is. */
int dft_cmd_report_check(int argc, char **argv);
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

/* Memory, or the end of the process with a message: there is nothing useful to do without it. */
void *dft_tool_resize(void *block, size_t count, size_t size);
/* Room for one element more in an array of `count` that grows by doubling. */
void *dft_tool_grow(void *array, size_t count, size_t *room, size_t size);
void *dft_tool_zeroed(size_t count, size_t size);
char *dft_tool_copy(const char *text, size_t length); /* NUL-terminated */
char *dft_tool_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A path as it is from everywhere, to be freed. */
char *dft_tool_absolute(const char *path);

#endif
