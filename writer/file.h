/* The trace file: created once, extended by whole members, never opened through a symbolic link. */
#ifndef DFT_WRITER_FILE_H
#define DFT_WRITER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dft_file {
    int fd;
    dev_t device;
    ino_t inode;
    uint64_t size;      /* bytes that are written completely */
    uint64_t allocated; /* disk space is allocated up to here */
    bool has_set_aside; /* a snapshot follows the first `size` bytes */
    char path[1400];
};

#define DFT_FILE_NAMES_MAX 1000

/*
 * Sets the path: PREFIX-APP-PID.EXTENSION if `number` is 1, otherwise
 * PREFIX-APP-PID-NUMBER.EXTENSION. Higher numbers, up to DFT_FILE_NAMES_MAX, are for processes
 * whose name is taken (an exec keeps the pid). Negative errno on failure.
 */
int dft_file_name(struct dft_file *file, const char *prefix, const char *app, int32_t pid,
                  const char *extension, int number);

/* Creates the file at that path; -EEXIST if there is one. */
int dft_file_create(struct dft_file *file);

/*
 * Continues the file at the path after its first `size` bytes and cuts off the rest. -ESTALE if the
 * file has another device or inode, or is shorter. If `device` is 0, any device will do.
 */
int dft_file_resume(struct dft_file *file, uint64_t device, uint64_t inode, uint64_t size);

/* All or nothing: on failure the file keeps its former size. Leaves a reserve of disk space. */
int dft_file_append(struct dft_file *file, const char *data, size_t length);

/* Like dft_file_append, for the last few bytes of a file. These may use the reserve. */
int dft_file_append_last(struct dft_file *file, const char *data, size_t length);

/* Nothing more is appended for now: gives the reserved disk space back. */
void dft_file_free_reserve(struct dft_file *file);

/* Cuts the file to this size. */
int dft_file_truncate(struct dft_file *file, uint64_t size);

/*
 * Declares everything after the first `size` bytes to be a snapshot: the next append replaces it.
 */
void dft_file_set_aside(struct dft_file *file, uint64_t size);

void dft_file_close(struct dft_file *file);

/* Closes only the descriptor, of which another process or thread has a copy. */
void dft_file_forget(const struct dft_file *file);

/* Removes the file. Does nothing if another file has the path by now. */
void dft_file_remove(struct dft_file *file);

#endif
