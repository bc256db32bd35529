/*
 * A program that is run in this process's place: signals that others send us are its, it stops and
 * we stop, it ends and we end alike.
 */
#ifndef DFT_TOOL_RUN_CHILD_H
#define DFT_TOOL_RUN_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct dft_child {
    pid_t pid;
    int status;  /* as waitpid has it; -1 while it runs */
    int signals; /* to be polled: readable when there is something for dft_child_hear_signals */
    pid_t watch; /* continues us when the program was continued by others; 0: there was none */
    sigset_t mask_before;
    void (*children_before)(int);
};

/* From now on signals come through the descriptor. */
bool dft_child_take_signals(struct dft_child *child);

/* Returns 0, or the errno of a fork or exec that failed. */
int dft_child_start(struct dft_child *child, const char *path, char **arguments,
                    char **environment);

/* Whether one that came through it is to end us; what is ignored comes as well. */
bool dft_child_is_asked_to_end(int signal);

/* Passes them on, and notices the program's end; true: one to end us came after that. */
bool dft_child_hear_signals(struct dft_child *child);

/* Ends as the program did, without another core file beside its own; else the exit status. */
int dft_child_end_alike(const struct dft_child *child);

#endif
