/*
 * Identifies the compiler behind a name such as cc, gcc-12 or mpicc.
 */
#ifndef DFT_TOOL_BUILD_COMPILER_H
#define DFT_TOOL_BUILD_COMPILER_H

#include <stdbool.h>

struct dft_compiler {
    bool is_clang; /* otherwise GCC */
    unsigned major;
    char name[24]; /* "gcc-12", "clang-14": the plugin's directory */
};

/*
 * Runs `command`, which may have several words ("ccache gcc-12"), without a shell. False, after a
 * message, if it fails or is neither GCC nor Clang.
 */
bool dft_compiler_ask(const char *command, struct dft_compiler *compiler);

#endif
