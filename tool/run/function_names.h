/*
 * The names of the functions in a program file: the instrumented ones, or, if there are none, all
 * that have a symbol.
 */
#ifndef DFT_TOOL_RUN_FUNCTION_NAMES_H
#define DFT_TOOL_RUN_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct dft_function_names {
    char **linkage; /* linkage names: "_ZN6solver4stepEi" */
    char **names;   /* qualified: "solver::step" */
    size_t count;
    size_t room;
    bool from_symbols;
};

/* Empty if the file cannot be read or is malformed. */
void dft_function_names_read(struct dft_function_names *names, const char *path);
void dft_function_names_free(struct dft_function_names *names);

#endif
