/*
 * Runs a program in place of this process: forwards signals, mirrors stop and continue, and exits
 * with the program's status or signal.
 */
#ifndef DFT_TOOL_RUN_CHILD_H
#define DFT_TOOL_RUN_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct dft_child {
    pid_t pid;
    int status;  /* the status from waitpid; -1 while it runs */
    int signals; /* for poll: readable when dft_child_hear_signals has something to do */
    pid_t watch; /* continues this process when others have continued the program; 0: not started */
    sigset_t mask_before;
    void (*children_before)(int);
};

/* From now on, signals arrive through the descriptor. */
bool dft_child_take_signals(struct dft_child *child);

/* Returns 0, or the errno of a fork or exec that failed. */
int dft_child_start(struct dft_child *child, const char *path, char **arguments,
                    char **environment);

/* Whether a signal that arrived asks this process to end. Ignored signals arrive, too. */
bool dft_child_is_asked_to_end(int signal);

/*
 * Forwards signals and notices the end of the program. True: after that, a signal asked this
 * process to end.
 */
bool dft_child_hear_signals(struct dft_child *child);

/*
 * Ends by the signal that ended the program, without a second core file; otherwise returns the exit
 * status.
 */
int dft_child_end_alike(const struct dft_child *child);

#endif
