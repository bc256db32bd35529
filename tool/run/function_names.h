/*
 * The names of the functions in a program file: those that the plugin has instrumented, or, where
 * there is none of them, all that have a symbol.
 */
#ifndef DFT_TOOL_RUN_FUNCTION_NAMES_H
#define DFT_TOOL_RUN_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct dft_function_names {
    char **linkage; /* as symbols are called: "_ZN6solver4stepEi" */
    char **names;   /* qualified: "solver::step" */
    size_t count;
    size_t room;
    bool from_symbols;
};

/* Empty where the file cannot be read, or makes no sense. */
void dft_function_names_read(struct dft_function_names *names, const char *path);
void dft_function_names_free(struct dft_function_names *names);

#endif
